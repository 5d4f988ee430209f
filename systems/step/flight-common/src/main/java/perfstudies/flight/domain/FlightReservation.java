package perfstudies.flight.domain;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.ManyToOne;

/** One passenger's seat on one flight. */
@Entity
public class FlightReservation extends DomainObject {

    private String code;

    @ManyToOne(cascade = CascadeType.PERSIST)
    private Passenger passenger;

    @ManyToOne
    private Flight flight;

    protected FlightReservation() {
    }

    FlightReservation(String code, Passenger passenger, Flight flight) {
        this.code = code;
        this.passenger = passenger;
        this.flight = flight;
    }

    public String getCode() {
        return code;
    }

    public Passenger getPassenger() {
        return passenger;
    }

    public Flight getFlight() {
        return flight;
    }
}
