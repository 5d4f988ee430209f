package perfstudies.flight.domain;

/** A passenger without a name. */
public final class InvalidPassengerException extends DomainException {

    private static final long serialVersionUID = 1L;

    InvalidPassengerException() {
        super("a passenger needs a name");
    }
}
