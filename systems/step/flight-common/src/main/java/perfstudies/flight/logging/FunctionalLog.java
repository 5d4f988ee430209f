package perfstudies.flight.logging;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.log4j.Appender;
import org.apache.log4j.AsyncAppender;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.FileAppender;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;

/**
 * Sets up Log4j: as the study had it, with one level for the service and its libraries, to a file and to the console,
 * both with the source line of the caller, for which every message walks the stack; or so that details cost less, as it
 * suggested: for some layers, or for one user's requests only; or written by a thread in the background.
 */
public final class FunctionalLog {

    private static final String WITH_LOCATION = "%d{HH:mm:ss,SSS} %-5p %c %F:%L - %m%n";
    private static final String WITHOUT_LOCATION = "%d{HH:mm:ss,SSS} %-5p %c - %m%n";

    /** The levels that some loggers have of their own, by the logger's name; those of the log that is open. */
    private static volatile Map<String, Level> layers = Map.of();

    private FunctionalLog() {
    }

    /** Sends Hibernate's messages to Log4j too. It must come before Hibernate's first message. */
    public static void connectLibraries() {
        System.setProperty("org.jboss.logging.provider", "log4j");
    }

    /**
     * Logs as the settings say. Whatever an earlier call set up is gone, so a program may open one log after another.
     *
     * @throws IOException if the file cannot be written; nothing is logged then
     */
    public static void open(LogSettings settings) throws IOException {
        close();
        if (!settings.user().isEmpty()) {
            UserDetail.require();
        }
        List<Appender> appenders = appenders(settings);
        if (settings.async() && !appenders.isEmpty()) {
            appenders = List.of(inBackground(appenders, settings.location()));
        }
        for (Appender appender : appenders) {
            if (!settings.user().isEmpty()) {
                // The first appender in a message's way asks: behind a buffer it would be another thread's user.
                appender.addFilter(new UserDetail(settings.user()));
            }
            Logger.getRootLogger().addAppender(appender);
        }
        layers = settings.layers();
        setLevel(settings.level());
    }

    /**
     * Changes the level of a running service; libraries ask for it at every message. Layers with a level of their own
     * keep it, except that off silences them too, until another level is set.
     */
    public static void setLevel(Level level) {
        Logger.getRootLogger().setLevel(level);
        layers.forEach((name, own) -> Logger.getLogger(name).setLevel(Level.OFF.equals(level) ? Level.OFF : own));
    }

    /** The level that was set last. */
    public static Level level() {
        return Logger.getRootLogger().getLevel();
    }

    /** Writes what a buffer still holds, closes everything and logs nothing more. */
    public static void close() {
        setLevel(Level.OFF);
        layers.keySet().forEach(name -> Logger.getLogger(name).setLevel(null));
        layers = Map.of();
        LogManager.shutdown();
    }

    private static List<Appender> appenders(LogSettings settings) throws IOException {
        String pattern = settings.location() ? WITH_LOCATION : WITHOUT_LOCATION;
        List<Appender> appenders = new ArrayList<>();
        if (settings.file() != null) {
            appenders.add(new FileAppender(new PatternLayout(pattern), settings.file().toString()));
        }
        if (settings.console()) {
            appenders.add(new ConsoleAppender(new PatternLayout(pattern), ConsoleAppender.SYSTEM_ERR));
        }
        return appenders;
    }

    /** A request waits when the buffer, of Log4j's own size, is full: no message is lost. */
    private static Appender inBackground(List<Appender> appenders, boolean location) {
        AsyncAppender buffer = new AsyncAppender();
        // Only the thread that logs can find its place in the source.
        buffer.setLocationInfo(location);
        appenders.forEach(buffer::addAppender);
        return buffer;
    }
}
