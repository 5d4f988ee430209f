/** How the domain is kept by Hibernate, and where the monitor looks into it. */
package perfstudies.flight.persistence;
