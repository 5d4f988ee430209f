package perfstudies.flight;

/** A command, an option or a property that cannot be followed; the message says what is allowed. */
final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
