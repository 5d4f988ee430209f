package perfstudies.esb.security;

/** A message was not signed and encrypted as it has to be; the message says what is wrong with it. */
public final class InsecureMessageException extends Exception {

    private static final long serialVersionUID = 1L;

    InsecureMessageException(String message) {
        super(message);
    }

    InsecureMessageException(String message, Throwable cause) {
        super(message, cause);
    }
}
