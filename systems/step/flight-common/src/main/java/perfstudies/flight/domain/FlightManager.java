package perfstudies.flight.domain;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.MapKey;
import jakarta.persistence.OneToMany;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The domain root: the one object from which all others are reached.
 *
 * <p>Flights are looked up by walking the whole map, even by number, and once for every passenger reserved. That is how
 * the measured service worked, and why most of a request's time was spent in this layer; a query would be the better
 * program and the wrong system under test. The maps belong to the root, so whoever adds to one changes the root's
 * version, and of two transactions that reserve at the same time one must fail.
 */
@Entity
public class FlightManager extends DomainObject implements Flights {

    private static final Comparator<Flight> BY_PRICE =
            Comparator.comparing(Flight::getPricePerPassenger).thenComparing(Flight::getNumber);

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "flightManager")
    @MapKey(name = "code")
    private Map<String, Airport> airports = new LinkedHashMap<>();

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "flightManager")
    @MapKey(name = "registration")
    private Map<String, Airplane> airplanes = new LinkedHashMap<>();

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "flightManager")
    @MapKey(name = "number")
    private Map<String, Flight> flights = new LinkedHashMap<>();

    @OneToMany(cascade = CascadeType.ALL)
    @JoinColumn(name = "flightManager")
    @MapKey(name = "number")
    private Map<Integer, Passenger> passengers = new LinkedHashMap<>();

    /** How this program numbers reservations; no part of what is stored. */
    private transient ReservationNumbers numbers = ReservationNumbers.COUNTED;

    public void numberReservations(ReservationNumbers wanted) {
        numbers = wanted;
    }

    @Override
    public List<Flight> searchFlights(String departureCity, String arrivalCity) {
        return flights.values().stream()
                .filter(flight -> flight.connects(departureCity, arrivalCity))
                .sorted(BY_PRICE)
                .toList();
    }

    @Override
    public FlightReservation reserve(String flightNumber, String passengerName, String identification)
            throws UnknownFlightException, InvalidPassengerException {
        Flight flight = findFlight(flightNumber);
        return flight.reserve(addPassenger(passengerName, identification), numbers);
    }

    @Override
    public FlightReservation reserveCheapest(String departureCity, String arrivalCity, String passengerName,
            String identification) throws NoFlightException, InvalidPassengerException {
        List<Flight> cheapestFirst = searchFlights(departureCity, arrivalCity);
        if (cheapestFirst.isEmpty()) {
            throw new NoFlightException(departureCity, arrivalCity);
        }
        return cheapestFirst.get(0).reserve(addPassenger(passengerName, identification), numbers);
    }

    private Flight findFlight(String number) throws UnknownFlightException {
        for (Flight flight : flights.values()) {
            if (flight.getNumber().equals(number)) {
                return flight;
            }
        }
        throw new UnknownFlightException(number);
    }

    private Passenger addPassenger(String name, String identification) throws InvalidPassengerException {
        Passenger passenger = Passenger.of(passengers.size() + 1, name, identification);
        passengers.put(passenger.getNumber(), passenger);
        return passenger;
    }

    public Map<String, Airport> getAirports() {
        return airports;
    }

    public Map<String, Airplane> getAirplanes() {
        return airplanes;
    }

    public Map<String, Flight> getFlights() {
        return flights;
    }

    public Map<Integer, Passenger> getPassengers() {
        return passengers;
    }
}
