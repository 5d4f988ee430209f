package perfstudies.flight;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.log4j.Level;
import perfstudies.flight.domain.ReservationNumbers;
import perfstudies.flight.logging.LogSettings;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.service.Domain;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/** What a server is set to do, read from a properties file and checked as a whole before anything starts. */
record FlightSettings(int port, String databaseUrl, String databaseUser, String databasePassword, int poolSize,
        Database.Cache cache, Domain domain, int retries, boolean readsWithoutFlush, boolean statistics,
        LogSettings log, String monitor, Path monitorFolder, boolean monitorWrap, boolean monitorCollections) {

    static final Map<String, Level> LEVELS = Map.of("off", Level.OFF, "fatal", Level.FATAL,
            "error", Level.ERROR, "warn", Level.WARN, "info", Level.INFO, "debug", Level.DEBUG, "trace", Level.TRACE);
    private static final String[] LEVEL_NAMES = {"off", "fatal", "error", "warn", "info", "debug", "trace"};
    /** The loggers of the layers that may have a level of their own, by the property's name. */
    private static final Map<String, String> LAYERS = new TreeMap<>(Map.of(
            "log.level.service", "perfstudies.flight", "log.level.hibernate", "org.hibernate"));
    /** What holds where an experiment says nothing is the lab's to say, so nothing has a default here. */
    private static final Map<String, String> PROPERTIES = Settings.required("port", "database.url", "database.user",
            "database.password", "connection.pool_size", "cache", "domain.root", "reservation.numbers",
            "transaction.retries", "flush", "statistics", "log.level", "log.level.service", "log.level.hibernate",
            "log.user", "log.file", "log.async", "log.console", "log.location", "monitor", "monitor.dir",
            "monitor.wrap", "monitor.collections");

    /** Reads a file; a {@link UsageException} if it lacks a property, has an unknown one, or a wrong value. */
    static FlightSettings read(Path file) {
        Settings given = Settings.read(file, PROPERTIES);
        return new FlightSettings(given.number("port", 0), given.text("database.url"), given.text("database.user"),
                given.text("database.password"), given.number("connection.pool_size", 1),
                given.choice("cache", Database.Cache.values()),
                new Domain(given.flag("domain.root"), given.choice("reservation.numbers", ReservationNumbers.values())),
                given.number("transaction.retries", 0),
                given.word("flush", "auto", "manual-when-read-only").equals("manual-when-read-only"),
                given.flag("statistics"), log(given), given.word("monitor", "none", "layer", "event", "perf4j"),
                Path.of(given.text("monitor.dir")), given.flag("monitor.wrap"), given.flag("monitor.collections"));
    }

    private static LogSettings log(Settings given) {
        Level level = LEVELS.get(given.word("log.level", LEVEL_NAMES));
        Map<String, Level> layers = new TreeMap<>();
        for (String key : LAYERS.keySet()) {
            if (given.text(key).isEmpty()) {
                continue;
            }
            Level own = LEVELS.get(given.word(key, LEVEL_NAMES));
            if (level.equals(Level.OFF)) {
                throw new UsageException(key + " = " + given.text(key)
                        + ": log.level is off, which silences every layer; fatal lets layers have their own");
            }
            layers.put(LAYERS.get(key), own);
        }
        return new LogSettings(level, layers, Path.of(given.text("log.file")), given.flag("log.console"),
                given.flag("log.location"), given.flag("log.async"), given.text("log.user"));
    }

    boolean monitorOn() {
        return !monitor.equals("none");
    }
}
