package perfstudies.flight.domain;

import java.util.List;

/** What the services need of the domain. */
public interface Flights {

    /**
     * The flights between two cities, cheapest first; empty if there are none.
     *
     * <p>Flights of equal price are ordered by number, so that none takes another's place.
     */
    List<Flight> searchFlights(String departureCity, String arrivalCity);

    /** Reserves a seat for a new passenger on the flight of that number. */
    FlightReservation reserve(String flightNumber, String passengerName, String identification)
            throws UnknownFlightException, InvalidPassengerException;

    /** Reserves a seat for a new passenger on the cheapest flight between two cities. */
    FlightReservation reserveCheapest(String departureCity, String arrivalCity, String passengerName,
            String identification) throws NoFlightException, InvalidPassengerException;
}
