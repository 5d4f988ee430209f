/** Tickets of the push sequence: issued and signed by the AAA server, checked by the service equipment. */
package perfstudies.aaa.ticket;
