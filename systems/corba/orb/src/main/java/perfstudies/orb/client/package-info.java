/**
 * The client: open arrivals at given times over one connection or several, and a record of when each request was due,
 * sent and answered.
 *
 * <p>A broker shares one connection among all who call the same server, and its server serves a connection by one
 * receiver thread. So a client of several connections has as many brokers.
 */
package perfstudies.orb.client;
