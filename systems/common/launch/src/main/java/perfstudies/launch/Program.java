package perfstudies.launch;

import java.nio.file.Path;

/** What {@link Launcher} runs: a server or a client. */
public interface Program {

    /**
     * Starts it.
     *
     * @param configuration a file of properties
     * @return the address at which it answers, which must be on the loopback interface
     * @throws UsageException if the configuration makes no sense
     * @throws Exception if it cannot be started
     */
    String start(Path configuration) throws Exception;

    /**
     * Does what a line of standard input says and returns the line that answers it.
     *
     * @throws UsageException if it makes no sense
     */
    default String answer(String line) throws Exception {
        return "UNKNOWN " + line;
    }

    /** Stops what has started, however little of it. May be called from another thread, and before the start ended. */
    void stop() throws Exception;

    /** Does what has to be done even though it could not be stopped in time. */
    default void abandon() throws Exception {
    }
}
