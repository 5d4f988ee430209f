package perfstudies.flight.domain;

import jakarta.persistence.Entity;
import java.math.BigDecimal;

/** One airplane of the fleet. */
@Entity
public class Airplane extends DomainObject {

    private String registration;
    private String model;
    private int capacity;
    private BigDecimal costPerUse;

    protected Airplane() {
    }

    public Airplane(String registration, String model, int capacity, BigDecimal costPerUse) {
        this.registration = registration;
        this.model = model;
        this.capacity = capacity;
        this.costPerUse = costPerUse;
    }

    public String getRegistration() {
        return registration;
    }

    public String getModel() {
        return model;
    }

    public int getCapacity() {
        return capacity;
    }

    public BigDecimal getCostPerUse() {
        return costPerUse;
    }
}
