package perfstudies.flight.domain;

/** No flight goes between the two cities. */
public final class NoFlightException extends DomainException {

    private static final long serialVersionUID = 1L;

    NoFlightException(String departureCity, String arrivalCity) {
        super("no flight from " + departureCity + " to " + arrivalCity);
    }
}
