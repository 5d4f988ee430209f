/**
 * A client that updates its own database and tells a server, which updates its own: by plain SOAP, by
 * WS-ReliableMessaging as Apache CXF offers it, and with the middleware's stores inside the transactions of both ends.
 */
package perfstudies.esb.reliable;
