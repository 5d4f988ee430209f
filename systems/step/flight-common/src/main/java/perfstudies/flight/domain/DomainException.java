package perfstudies.flight.domain;

/** A request that breaks a rule of the domain: an application exception, which the client is told about by type. */
public abstract class DomainException extends Exception {

    private static final long serialVersionUID = 1L;

    protected DomainException(String message) {
        super(message);
    }

    /** What the fault calls this exception. */
    public String faultType() {
        return getClass().getSimpleName();
    }
}
