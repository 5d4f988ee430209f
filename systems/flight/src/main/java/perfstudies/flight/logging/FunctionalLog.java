package perfstudies.flight.logging;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.FileAppender;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;

/**
 * Sets up Log4j as the study had it: one root level for the service and its libraries, to a file and to the console,
 * both with the source line of the caller, for which every message walks the stack.
 */
public final class FunctionalLog {

    private static final String WITH_LOCATION = "%d{HH:mm:ss,SSS} %-5p %c %F:%L - %m%n";
    private static final String WITHOUT_LOCATION = "%d{HH:mm:ss,SSS} %-5p %c - %m%n";

    private FunctionalLog() {
    }

    /** Sends Hibernate's messages to Log4j too. It must come before Hibernate's first message. */
    public static void connectLibraries() {
        System.setProperty("org.jboss.logging.provider", "log4j");
    }

    /**
     * Logs from a level on.
     *
     * @param file null for none
     * @param console whether to log to standard error
     * @param location whether to print the file and the line of the caller
     */
    public static void open(Level level, Path file, boolean console, boolean location) throws IOException {
        Logger root = Logger.getRootLogger();
        root.removeAllAppenders();
        root.setLevel(level);
        String pattern = location ? WITH_LOCATION : WITHOUT_LOCATION;
        if (file != null) {
            root.addAppender(new FileAppender(new PatternLayout(pattern), file.toString()));
        }
        if (console) {
            root.addAppender(new ConsoleAppender(new PatternLayout(pattern), ConsoleAppender.SYSTEM_ERR));
        }
    }

    /** Changes the level of a running service; libraries ask for it at every message. */
    public static void setLevel(Level level) {
        Logger.getRootLogger().setLevel(level);
    }

    public static void close() {
        LogManager.shutdown();
    }
}
