package perfstudies.flight;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.log4j.Level;
import perfstudies.flight.logging.FunctionalLog;

/**
 * Does what its input says, a command a line, and answers each with a line.
 *
 * <pre>
 * deploy FILE    READY address
 * close          CLOSED
 * statistics     STATISTICS {"transactions": 100, ...}
 * level NAME     LEVEL NAME
 * </pre>
 *
 * What fails is answered {@code FAILED why}, and what it does not know {@code UNKNOWN line}. Neither ends it, nor does
 * an error such as a full heap, from which only a new deployment frees the process.
 */
final class Commands {

    private final Deployment deployment;
    private final PrintStream answers;

    Commands(Deployment deployment, PrintStream answers) {
        this.deployment = deployment;
        this.answers = answers;
    }

    /** Obeys until the input ends. */
    void obey(BufferedReader input) throws IOException {
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            answers.println(answer(line));
        }
    }

    private String answer(String line) {
        String[] words = line.strip().split("\\s+", 2);
        try {
            return switch (words.length + " " + words[0]) {
                case "2 deploy" -> "READY " + deployment.replace(Path.of(words[1]));
                case "1 close" -> close();
                case "1 statistics" -> "STATISTICS " + json(deployment.statistics());
                case "2 level" -> level(line, words[1]);
                default -> unknown(line);
            };
        } catch (UsageException e) {
            return failed(e.getMessage());
        } catch (Exception | Error e) {
            // The line says what; where it happened may be long and is for a person.
            e.printStackTrace();
            return failed(e.toString());
        }
    }

    private String close() throws IOException {
        deployment.close();
        return "CLOSED";
    }

    private static String level(String line, String name) {
        Level level = Settings.LEVELS.get(name);
        if (level == null) {
            return unknown(line);
        }
        FunctionalLog.setLevel(level);
        return "LEVEL " + level.toString().toLowerCase(Locale.ROOT);
    }

    private static String unknown(String line) {
        return "UNKNOWN " + line;
    }

    private static String failed(String message) {
        return "FAILED " + message.replaceAll("\\s+", " ");
    }

    private static String json(Map<String, Long> counts) {
        return counts.entrySet().stream().map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
