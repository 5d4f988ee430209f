package perfstudies.flight.extension;

/** An extensions file that cannot be followed. */
public final class ExtensionException extends Exception {

    private static final long serialVersionUID = 1L;

    ExtensionException(String message) {
        super(message);
    }

    ExtensionException(String message, Throwable cause) {
        super(message, cause);
    }
}
