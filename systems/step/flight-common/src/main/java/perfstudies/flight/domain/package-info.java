/**
 * Airports, airplanes, flights, passengers and reservations, all reached from one domain root.
 *
 * <p>The mapping keeps to the defaults of Jakarta Persistence (associations to one are loaded with their owner,
 * collections when they are first used), as the framework's guide had it: these defaults are part of what is measured.
 *
 * <p>{@link perfstudies.flight.domain.QueriedFlights} does without the root, to see what the root costs.
 */
package perfstudies.flight.domain;
