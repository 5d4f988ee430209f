package perfstudies.orb;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;

/** What a program is set to do: properties of a file, checked as a whole before anything starts. */
public final class Settings {

    /** What a property may be. */
    public sealed interface Rule permits Text, Whole {
    }

    /** Any text that is not empty. */
    public record Text() implements Rule {
    }

    /** A whole number within bounds, both allowed. */
    public record Whole(int low, int high) implements Rule {
    }

    private final Properties values;

    private Settings(Properties values) {
        this.values = values;
    }

    /**
     * Reads a file.
     *
     * @throws UsageException if the file cannot be read, has a property without a rule, lacks one, or has a value that
     *     its rule forbids
     */
    public static Settings read(Path file, Map<String, Rule> rules) throws UsageException {
        Properties given = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            given.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("cannot read the configuration: " + e);
        }
        for (String key : new TreeSet<>(given.stringPropertyNames())) {
            if (!rules.containsKey(key)) {
                throw new UsageException("unknown property " + key + ", allowed: "
                        + String.join(", ", new TreeSet<>(rules.keySet())));
            }
        }
        for (String key : new TreeSet<>(rules.keySet())) {
            String value = given.getProperty(key, "").strip();
            if (value.isEmpty()) {
                throw new UsageException("property " + key + " is missing");
            }
            if (rules.get(key) instanceof Whole rule && !allows(rule, value)) {
                throw new UsageException("property " + key + " is " + value + ", allowed: " + rule.low() + " to "
                        + rule.high());
            }
        }
        return new Settings(given);
    }

    private static boolean allows(Whole rule, String value) {
        try {
            int number = Integer.parseInt(value);
            return number >= rule.low() && number <= rule.high();
        } catch (NumberFormatException e) {
            return false;
        }
    }

    public String text(String key) {
        String value = values.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException("no property " + key);
        }
        return value.strip();
    }

    public int whole(String key) {
        return Integer.parseInt(text(key));
    }

    public Path path(String key) {
        return Path.of(text(key));
    }
}
