package perfstudies.launch;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A program's properties: those it knows, with their defaults if it has any, and what a file says. */
public final class Settings {

    /** Stands in a default's place where there is none; no text that a file gives is this very object. */
    private static final String REQUIRED = new String("required");

    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    /** Returns properties that have no defaults, because whoever starts the program decides them all. */
    public static Map<String, String> required(String... names) {
        return Stream.of(names).collect(Collectors.toMap(Function.identity(), name -> REQUIRED));
    }

    /**
     * Reads a file.
     *
     * @param defaults every property that the program knows
     * @throws UsageException if the file has another one or lacks a required one, or cannot be read
     */
    public static Settings read(Path file, Map<String, String> defaults) {
        Properties found = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            found.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("cannot read " + file + ": " + e);
        }
        Map<String, String> values = new TreeMap<>(defaults);
        for (String name : found.stringPropertyNames()) {
            if (!defaults.containsKey(name)) {
                throw new UsageException("unknown property " + name + "; known: "
                        + String.join(", ", new TreeMap<>(defaults).keySet()));
            }
            values.put(name, found.getProperty(name).strip());
        }
        values.forEach((name, value) -> {
            if (value == REQUIRED) {
                throw new UsageException("property " + name + " is missing in " + file);
            }
        });
        return new Settings(values);
    }

    /** Returns a property. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the program declares no property " + name);
        }
        return value;
    }

    /** Returns a property that is a whole number of at least a least one. */
    public int number(String name, int least) {
        return number(name, text(name), least);
    }

    /** Returns a property that is such numbers with commas between them. */
    public int[] numbers(String name, int least) {
        return Stream.of(text(name).split(",")).mapToInt(value -> number(name, value, least)).toArray();
    }

    private static int number(String name, String value, int least) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, with what it may be.
        }
        throw new UsageException(name + " = " + value + ": must be a whole number of at least " + least);
    }

    /** Returns a property that is one of some words. */
    public String word(String name, String... allowed) {
        String value = text(name);
        for (String word : allowed) {
            if (word.equals(value)) {
                return value;
            }
        }
        throw new UsageException(name + " = " + value + ": must be one of " + String.join(", ", allowed));
    }

    /** Returns a property that is one of an enumeration's constants, written in small letters and with hyphens. */
    public <E extends Enum<E>> E choice(String name, E[] constants) {
        String[] words = Stream.of(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-')).toArray(String[]::new);
        return constants[Arrays.asList(words).indexOf(word(name, words))];
    }

    /** Returns a property that is true or false. */
    public boolean flag(String name) {
        return word(name, "true", "false").equals("true");
    }
}
