package perfstudies.flight.domain;

import jakarta.persistence.Entity;

/** A place where flights start and end; passengers know it by its city. */
@Entity
public class Airport extends DomainObject {

    private String code;
    private String name;
    private String city;
    private String country;

    protected Airport() {
    }

    public Airport(String code, String name, String city, String country) {
        this.code = code;
        this.name = name;
        this.city = city;
        this.country = country;
    }

    public String getCode() {
        return code;
    }

    public String getName() {
        return name;
    }

    public String getCity() {
        return city;
    }

    public String getCountry() {
        return country;
    }
}
