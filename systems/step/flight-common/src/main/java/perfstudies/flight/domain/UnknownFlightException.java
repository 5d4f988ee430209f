package perfstudies.flight.domain;

/** No flight has the number that was asked for. */
public final class UnknownFlightException extends DomainException {

    private static final long serialVersionUID = 1L;

    UnknownFlightException(String number) {
        super("no flight " + number);
    }
}
