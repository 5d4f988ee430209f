package perfstudies.launch;

/** A program that is told by {@link Settings} what to be. */
public interface Party {

    /**
     * Starts it.
     *
     * @return the address at which it answers, which must be on the loopback interface
     * @throws UsageException if the settings make no sense
     * @throws Exception if it cannot be started
     */
    String start(Settings settings) throws Exception;

    /** Does what a line of standard input says and returns the line that answers it. */
    default String answer(String line) throws Exception {
        return "UNKNOWN " + line;
    }

    /** Stops what has started, however little of it. May be called from another thread, and before the start ended. */
    void stop() throws Exception;
}
