package perfstudies.flight.domain;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The domain without its root: flights are found by the database, and a new passenger and reservation are stored on
 * their own. No object but the flight is shared by two transactions that reserve, and that one only if it counts.
 */
public final class QueriedFlights implements Flights {

    /** What a flight needs comes with it, in the one statement. */
    private static final String FLIGHT =
            "select f from Flight f join fetch f.origin o join fetch f.destination d join fetch f.airplane where ";
    private static final String BETWEEN_CITIES =
            FLIGHT + "o.city = :departure and d.city = :arrival order by f.pricePerPassenger, f.number";
    private static final String BY_NUMBER = FLIGHT + "f.number = :number";

    private final Store store;
    private final ReservationNumbers numbers;

    public QueriedFlights(Store store, ReservationNumbers numbers) {
        this.store = store;
        this.numbers = numbers;
    }

    @Override
    public List<Flight> searchFlights(String departureCity, String arrivalCity) {
        return store.find(BETWEEN_CITIES, Flight.class, Map.of("departure", departureCity, "arrival", arrivalCity));
    }

    @Override
    public FlightReservation reserve(String flightNumber, String passengerName, String identification)
            throws UnknownFlightException, InvalidPassengerException {
        List<Flight> found = store.find(BY_NUMBER, Flight.class, Map.of("number", flightNumber));
        if (found.isEmpty()) {
            throw new UnknownFlightException(flightNumber);
        }
        return reserve(found.get(0), passengerName, identification);
    }

    @Override
    public FlightReservation reserveCheapest(String departureCity, String arrivalCity, String passengerName,
            String identification) throws NoFlightException, InvalidPassengerException {
        List<Flight> cheapestFirst = searchFlights(departureCity, arrivalCity);
        if (cheapestFirst.isEmpty()) {
            throw new NoFlightException(departureCity, arrivalCity);
        }
        return reserve(cheapestFirst.get(0), passengerName, identification);
    }

    /**
     * The flight's set of reservations is left alone, as adding to it would load it. A passenger's number is a place in
     * the root's map, where this one has none; to count all passengers for it would bring the root's conflict back.
     */
    private FlightReservation reserve(Flight flight, String passengerName, String identification)
            throws InvalidPassengerException {
        int number = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        FlightReservation reservation =
                flight.reservationFor(Passenger.of(number, passengerName, identification), numbers);
        store.persist(reservation);
        return reservation;
    }
}
