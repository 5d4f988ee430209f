package perfstudies.flight.data;

/** Data that cannot be loaded; the message names the file and the line. */
public final class DataException extends Exception {

    private static final long serialVersionUID = 1L;

    DataException(String message) {
        super(message);
    }
}
