package perfstudies.esb.camel;

/** A message goes nowhere; the message says what was looked for. */
final class NoRouteException extends Exception {

    private static final long serialVersionUID = 1L;

    NoRouteException(String message) {
        super(message);
    }
}
