package perfstudies.aaa;

import java.io.IOException;
import java.io.Reader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a party is set to do: properties with their defaults, read from a file and checked as a whole before anything
 * starts. Times carry their unit in the property's name.
 */
public final class Settings {

    /** A property's default and what it may be. */
    public sealed interface Rule permits Text, Whole, Number, Choice {

        /** The value that counts when the file does not give one. */
        String standard();

        /** What is allowed, in words, if the value is not; null if it is. */
        String complaint(String value);
    }

    /** Any text, which may be empty. */
    public record Text(String standard) implements Rule {

        @Override
        public String complaint(String value) {
            return null;
        }
    }

    /** A whole number within bounds, both allowed. */
    public record Whole(String standard, long low, long high) implements Rule {

        @Override
        public String complaint(String value) {
            try {
                long number = Long.parseLong(value);
                if (number >= low && number <= high) {
                    return null;
                }
            } catch (NumberFormatException e) {
                // answered below, like a number out of range
            }
            return low + " to " + high;
        }
    }

    /** A decimal number that is not negative. */
    public record Number(String standard) implements Rule {

        @Override
        public String complaint(String value) {
            try {
                if (value.length() <= 20 && new BigDecimal(value).signum() >= 0
                        && new BigDecimal(value).doubleValue() <= 1e9) {
                    return null;
                }
            } catch (NumberFormatException e) {
                // answered below, like a negative number
            }
            return "a number from 0 to 1000000000";
        }
    }

    /** One of some words. */
    public record Choice(String standard, List<String> words) implements Rule {

        @Override
        public String complaint(String value) {
            return words.contains(value) ? null : String.join(", ", words);
        }
    }

    private static final List<String> TRUTH = List.of("true", "false");

    /** The properties of an AAA server. */
    public static final Map<String, Rule> SERVER = Map.ofEntries(
            Map.entry("party", new Text("aaa")),
            Map.entry("port", new Whole("0", 0, 65535)),
            Map.entry("address", new Text("127.0.0.1")),
            Map.entry("work.dir", new Text("")),
            Map.entry("server.log", new Text("")),
            Map.entry("session.log", new Text("")),
            Map.entry("session.store", new Choice("false", TRUTH)),
            Map.entry("message.log", new Text("")),
            Map.entry("http.threads", new Whole("100", 1, 100_000)),
            Map.entry("http.acceptors", new Whole("1", 1, 1_000)),
            Map.entry("http.queue", new Whole("-1", -1, 1_000_000)),
            Map.entry("http.connections", new Whole("32768", 1, 1_000_000)),
            Map.entry("http.timeout_s", new Whole("30", 1, 86_400)),
            Map.entry("http.request_timeout_s", new Whole("900", 1, 86_400)),
            Map.entry("ejb.steady", new Whole("0", 0, 100_000)),
            Map.entry("ejb.max", new Whole("32", 1, 100_000)),
            Map.entry("ejb.resize", new Whole("8", 0, 100_000)),
            Map.entry("ejb.idle_s", new Whole("600", 0, 86_400)),
            Map.entry("ejb.create_ms", new Number("0")),
            Map.entry("ejb.strict", new Choice("true", TRUTH)),
            Map.entry("ejb.access_timeout_ms", new Whole("30000", 0, 86_400_000)),
            Map.entry("timer.unit_ms", new Number("400")),
            Map.entry("timer.random", new Choice("false", TRUTH)),
            Map.entry("timer.seed", new Whole("1", Long.MIN_VALUE, Long.MAX_VALUE)),
            Map.entry("repository", new Choice("session", List.of("session", "entity", "entity-2.1"))),
            Map.entry("database.url", new Text("")),
            Map.entry("database.user", new Text("sa")),
            Map.entry("database.password", new Text("")),
            Map.entry("database.connections", new Whole("8", 1, 10_000)),
            Map.entry("database.idle_s", new Whole("300", 0, 86_400)),
            Map.entry("policy.cache", new Choice("false", TRUTH)),
            Map.entry("roaming.provider", new Text("")),
            Map.entry("equipment", new Text("")),
            Map.entry("equipment.timeout_ms", new Whole("30000", 1, 86_400_000)),
            Map.entry("ticket.lifetime_ms", new Whole("60000", 0, 86_400_000)),
            Map.entry("ticket.key", new Text("")));

    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    /** The settings of an AAA server. */
    public static Settings read(Path file) throws UsageException {
        return read(file, SERVER);
    }

    /**
     * Settings by other rules than an AAA server's.
     *
     * @throws UsageException if the file cannot be read, has a property without a rule, or a value that its rule
     *     forbids
     */
    public static Settings read(Path file, Map<String, Rule> rules) throws UsageException {
        Properties given = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            given.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("cannot read the configuration: " + e);
        }
        return of(given, rules);
    }

    /** As {@link #read(Path, Map)}, from properties that are there already. */
    public static Settings of(Properties given, Map<String, Rule> rules) throws UsageException {
        for (String key : new TreeSet<>(given.stringPropertyNames())) {
            if (!rules.containsKey(key)) {
                throw new UsageException("unknown property " + key + ", allowed: "
                        + String.join(", ", new TreeSet<>(rules.keySet())));
            }
        }
        Map<String, String> values = new TreeMap<>();
        for (String key : new TreeSet<>(rules.keySet())) {
            Rule rule = rules.get(key);
            String value = given.getProperty(key, rule.standard()).strip();
            String allowed = rule.complaint(value);
            if (allowed != null) {
                throw new UsageException("property " + key + " is " + value + ", allowed: " + allowed);
            }
            values.put(key, value);
        }
        return new Settings(values);
    }

    /** A property's text; empty stands for none. */
    public String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("no property " + key);
        }
        return value;
    }

    /** A property's text, which must be there. */
    public String required(String key) throws UsageException {
        if (text(key).isEmpty()) {
            throw new UsageException("property " + key + " is missing");
        }
        return text(key);
    }

    public int whole(String key) {
        return Math.toIntExact(large(key));
    }

    public long large(String key) {
        return Long.parseLong(text(key));
    }

    public double number(String key) {
        return Double.parseDouble(text(key));
    }

    public boolean truth(String key) {
        return text(key).equals("true");
    }

    /** A property's file or folder; null stands for none. */
    public Path path(String key) {
        return text(key).isEmpty() ? null : Path.of(text(key));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Settings settings && values.equals(settings.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }
}
