package perfstudies.flight.logging;

import java.nio.file.Path;
import java.util.Map;
import org.apache.log4j.Level;

/**
 * What the functional log tells, of whom, and where to.
 *
 * @param level from which on everything is logged
 * @param layers levels of their own for some loggers, by the logger's name
 * @param file null for none
 * @param console whether to log to standard error
 * @param location whether to print the file and the line of the caller
 * @param async whether a thread of its own writes, which waits for nobody unless its buffer is full
 * @param user whose requests are logged in detail; empty for everybody's
 */
public record LogSettings(Level level, Map<String, Level> layers, Path file, boolean console, boolean location,
        boolean async, String user) {

    /** Nothing is logged. */
    public static final LogSettings OFF = new LogSettings(Level.OFF, Map.of(), null, false, false, false, "");
}
