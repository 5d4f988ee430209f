/** Metro, the reference implementation of Jakarta XML Web Services, on the JDK's HTTP server. */
package perfstudies.foreign.metro;
