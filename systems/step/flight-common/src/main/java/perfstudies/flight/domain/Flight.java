package perfstudies.flight.domain;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Set;

/**
 * One airplane's journey from one airport to another on a given day.
 *
 * <p>Seats are not counted against the airplane's capacity: the study's loads reserve groups of up to 10,000 passengers
 * on one flight to make messages large, and report none refused.
 */
@Entity
public class Flight extends DomainObject {

    @Column(name = "flightNumber")
    private String number;

    private LocalDateTime dateTime;
    private BigDecimal costPerPassenger;
    private BigDecimal pricePerPassenger;
    private int lastReservationId;

    @ManyToOne
    private Airport origin;

    @ManyToOne
    private Airport destination;

    @ManyToOne
    private Airplane airplane;

    @OneToMany(mappedBy = "flight", cascade = CascadeType.ALL)
    private Set<FlightReservation> reservations = new HashSet<>();

    protected Flight() {
    }

    public Flight(String number, LocalDateTime dateTime, BigDecimal costPerPassenger, BigDecimal pricePerPassenger,
            Airport origin, Airport destination, Airplane airplane) {
        this.number = number;
        this.dateTime = dateTime;
        this.costPerPassenger = costPerPassenger;
        this.pricePerPassenger = pricePerPassenger;
        this.origin = origin;
        this.destination = destination;
        this.airplane = airplane;
    }

    /** Whether the flight goes between two cities. */
    public boolean connects(String departureCity, String arrivalCity) {
        boolean leaves = origin.getCity().equals(departureCity);
        boolean arrives = destination.getCity().equals(arrivalCity);
        return leaves && arrives;
    }

    /** Reserves a seat and keeps the reservation with the others of this flight. */
    FlightReservation reserve(Passenger passenger, ReservationNumbers numbers) {
        FlightReservation reservation = reservationFor(passenger, numbers);
        reservations.add(reservation);
        return reservation;
    }

    /** Makes a reservation, of which the caller takes care; its code is the flight's number and a further one. */
    FlightReservation reservationFor(Passenger passenger, ReservationNumbers numbers) {
        return new FlightReservation(number + "-" + numbers.next(this), passenger, this);
    }

    /** The next number of the flight's own count. */
    int countReservation() {
        lastReservationId++;
        return lastReservationId;
    }

    public String getNumber() {
        return number;
    }

    public LocalDateTime getDateTime() {
        return dateTime;
    }

    public BigDecimal getCostPerPassenger() {
        return costPerPassenger;
    }

    public BigDecimal getPricePerPassenger() {
        return pricePerPassenger;
    }

    public int getLastReservationId() {
        return lastReservationId;
    }

    public Airport getOrigin() {
        return origin;
    }

    public Airport getDestination() {
        return destination;
    }

    public Airplane getAirplane() {
        return airplane;
    }

    public Set<FlightReservation> getReservations() {
        return reservations;
    }
}
