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

    Passenger(int number, String name, String identification) {
        this.number = number;
        this.name = name;
        this.identification = identification;
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
