/**
 * The server: one target object at the root POA, a pool of dispatchers, and a record of when each request got where.
 *
 * <p>A request's way through JacORB. The connection's receiver thread reads it ({@link
 * perfstudies.orb.server.TimedSockets}) and adds it to the POA's queue ({@link perfstudies.orb.server.QueueTimes}). The
 * POA's controller thread waits for an idle dispatcher, wakes it with the request, and only then takes the request off
 * the queue. The dispatcher thread passes the interceptor ({@link perfstudies.orb.server.DispatcherTimes}), calls the
 * target ({@link perfstudies.orb.server.TargetServant}) and writes the reply. The study's broker had no controller:
 * there a dispatcher took the request off the queue itself.
 */
package perfstudies.orb.server;
