package perfstudies.foreign;

/** A make of SOAP server. */
public interface Stack {

    /** Who may use the endpoints that ask for a name and a password. */
    String USER = "tester";

    /** The password of {@link #USER}: of a server that listens on loopback during a test. */
    String PASSWORD = "open sesame";

    /**
     * Starts all endpoints on a free port of the loopback interface.
     *
     * @return the address below which they are, without a slash at its end
     */
    String start() throws Exception;

    /** Stops what has started. */
    void stop() throws Exception;
}
