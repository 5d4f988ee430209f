/** The functional log, whose level is a factor of the study. */
package perfstudies.flight.logging;
