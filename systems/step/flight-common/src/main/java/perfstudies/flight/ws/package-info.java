/** The Web Service layer: the contract's operations, and the monitor's look at the messages. */
package perfstudies.flight.ws;
