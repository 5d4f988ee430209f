package perfstudies.flight;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.log4j.Level;
import perfstudies.flight.domain.ReservationNumbers;
import perfstudies.flight.logging.LogSettings;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.service.Domain;

/** What a server is set to do, read from a properties file and checked as a whole before anything starts. */
record Settings(int port, String databaseUrl, String databaseUser, String databasePassword, int poolSize,
        Database.Cache cache, Domain domain, int retries, boolean readsWithoutFlush, boolean statistics,
        LogSettings log, String monitor, Path monitorFolder, boolean monitorWrap, boolean monitorCollections,
        Path extensionsFile) {

    static final Map<String, Level> LEVELS = Map.of("off", Level.OFF, "fatal", Level.FATAL,
            "error", Level.ERROR, "warn", Level.WARN, "info", Level.INFO, "debug", Level.DEBUG, "trace", Level.TRACE);
    private static final List<String> LEVEL_NAMES = List.of("off", "fatal", "error", "warn", "info", "debug", "trace");
    private static final List<String> FLUSHES = List.of("auto", "manual-when-read-only");
    /** The loggers of the layers that may have a level of their own, by the property's name. */
    private static final Map<String, String> LAYERS = new TreeMap<>(Map.of(
            "log.level.service", "perfstudies.flight", "log.level.hibernate", "org.hibernate"));
    private static final List<String> TRUTH = List.of("true", "false");
    private static final List<String> MONITORS = List.of("none", "layer", "event", "perf4j");

    /** All properties with their defaults; an empty default stands for none. */
    private static final Map<String, String> DEFAULTS = new TreeMap<>(Map.ofEntries(
            Map.entry("port", "0"),
            Map.entry("database.url", ""),
            Map.entry("database.user", "sa"),
            Map.entry("database.password", ""),
            Map.entry("connection.pool_size", "1"),
            Map.entry("cache", "none"),
            Map.entry("domain.root", "true"),
            Map.entry("reservation.numbers", "counted"),
            Map.entry("transaction.retries", "0"),
            Map.entry("flush", "auto"),
            Map.entry("statistics", "false"),
            Map.entry("log.level", "info"),
            Map.entry("log.level.service", ""),
            Map.entry("log.level.hibernate", ""),
            Map.entry("log.user", ""),
            Map.entry("log.file", ""),
            Map.entry("log.async", "false"),
            Map.entry("log.console", "false"),
            Map.entry("log.location", "true"),
            Map.entry("monitor", "none"),
            Map.entry("monitor.dir", ""),
            Map.entry("monitor.wrap", "true"),
            Map.entry("monitor.collections", "false"),
            Map.entry("extensions.file", "")));

    static Settings read(Path file) throws UsageException {
        Properties given = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            given.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("cannot read the configuration: " + e);
        }
        for (String key : new TreeSet<>(given.stringPropertyNames())) {
            if (!DEFAULTS.containsKey(key)) {
                throw new UsageException("unknown property " + key + ", allowed: "
                        + String.join(", ", DEFAULTS.keySet()));
            }
        }
        Reading values = new Reading(given);
        String monitor = values.oneOf("monitor", MONITORS);
        return new Settings(values.number("port", 0, 65535), values.required("database.url"),
                values.text("database.user"), values.text("database.password"),
                values.number("connection.pool_size", 1, 1000), values.choice("cache", Database.Cache.values()),
                new Domain(values.truth("domain.root"),
                        values.choice("reservation.numbers", ReservationNumbers.values())),
                values.number("transaction.retries", 0, 1000),
                values.oneOf("flush", FLUSHES).equals("manual-when-read-only"), values.truth("statistics"),
                log(values), monitor, monitor.equals("none") ? null : Path.of(values.required("monitor.dir")),
                values.truth("monitor.wrap"), values.truth("monitor.collections"), values.path("extensions.file"));
    }

    private static LogSettings log(Reading values) throws UsageException {
        Level level = LEVELS.get(values.oneOf("log.level", LEVEL_NAMES));
        Map<String, Level> layers = new TreeMap<>();
        for (String key : LAYERS.keySet()) {
            if (values.text(key).isEmpty()) {
                continue;
            }
            Level own = LEVELS.get(values.oneOf(key, LEVEL_NAMES));
            if (level.equals(Level.OFF)) {
                throw new UsageException("property " + key + " is " + values.text(key)
                        + ", but log.level is off, which silences every layer; fatal lets layers have their own");
            }
            layers.put(LAYERS.get(key), own);
        }
        return new LogSettings(level, layers, values.path("log.file"), values.truth("log.console"),
                values.truth("log.location"), values.truth("log.async"), values.text("log.user"));
    }

    boolean monitorOn() {
        return !monitor.equals("none");
    }

    /** Properties as values of their kinds, or a complaint that names the property and what it may be. */
    private record Reading(Properties given) {

        String text(String key) {
            return given.getProperty(key, DEFAULTS.get(key)).strip();
        }

        String required(String key) throws UsageException {
            if (text(key).isEmpty()) {
                throw new UsageException("property " + key + " is missing");
            }
            return text(key);
        }

        Path path(String key) {
            return text(key).isEmpty() ? null : Path.of(text(key));
        }

        boolean truth(String key) throws UsageException {
            return oneOf(key, TRUTH).equals("true");
        }

        String oneOf(String key, List<String> allowed) throws UsageException {
            if (!allowed.contains(text(key))) {
                throw new UsageException("property " + key + " is " + text(key) + ", allowed: "
                        + String.join(", ", allowed));
            }
            return text(key);
        }

        /** One of an enumeration's constants, which a setting writes in small letters and with hyphens. */
        <E extends Enum<E>> E choice(String key, E[] constants) throws UsageException {
            List<String> names = Stream.of(constants)
                    .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
            return constants[names.indexOf(oneOf(key, names))];
        }

        int number(String key, int low, int high) throws UsageException {
            try {
                int value = Integer.parseInt(text(key));
                if (value >= low && value <= high) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // answered below, like a number out of range
            }
            throw new UsageException("property " + key + " is " + text(key) + ", allowed: " + low + " to " + high);
        }
    }
}
