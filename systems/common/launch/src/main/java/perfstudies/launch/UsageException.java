package perfstudies.launch;

/** What a program was told makes no sense; the message says what and what to do. */
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
