package perfstudies.flight.domain;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;

/** A person who has a seat reserved. */
@Entity
public class Passenger extends DomainObject {

    /** The place in the domain root's map. */
    @Column(name = "passengerNumber")
    private int number;

    private String name;

    /** What the passenger shows at the airport; not unique, since the same person may travel twice. */
    private String identification;

    protected Passenger() {
    }

    private Passenger(int number, String name, String identification) {
        this.number = number;
        this.name = name;
        this.identification = identification;
    }

    /** A new passenger, who must have a name. */
    static Passenger of(int number, String name, String identification) throws InvalidPassengerException {
        if (name == null || name.isBlank()) {
            throw new InvalidPassengerException();
        }
        return new Passenger(number, name, identification);
    }

    public int getNumber() {
        return number;
    }

    public String getName() {
        return name;
    }

    public String getIdentification() {
        return identification;
    }
}
