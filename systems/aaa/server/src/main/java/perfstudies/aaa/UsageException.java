package perfstudies.aaa;

/** A command, an option or a property that cannot be followed; the message says what is allowed. */
public final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
