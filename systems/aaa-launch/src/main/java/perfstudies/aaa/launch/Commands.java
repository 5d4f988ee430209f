package perfstudies.aaa.launch;

import java.io.PrintStream;
import java.nio.file.Path;
import perfstudies.aaa.UsageException;

/**
 * Does what a line says and answers it with a line.
 *
 * <pre> deploy FILE    READY address close          CLOSED statistics     STATISTICS {"requests": 100, ...}
 * </pre>
 *
 * What fails is answered {@code FAILED why}, and what it does not know {@code UNKNOWN line}. Neither is the end,
 * nor is an error such as a full heap.
 */
final class Commands {

    private final Deployments deployments;
    private final PrintStream answers;

    Commands(Deployments deployments, PrintStream answers) {
        this.deployments = deployments;
        this.answers = answers;
    }

    void obey(String line) {
        answers.println(answer(line));
    }

    private String answer(String line) {
        String[] words = line.strip().split("\\s+", 2);
        try {
            return switch (words.length + " " + words[0]) {
                case "2 deploy" -> "READY " + deployments.replace(Path.of(words[1]));
                case "1 close" -> {
                    deployments.close();
                    yield "CLOSED";
                }
                case "1 statistics" -> "STATISTICS " + deployments.statistics();
                default -> "UNKNOWN " + line;
            };
        } catch (UsageException e) {
            return failed(e.getMessage());
        } catch (Exception | Error e) {
            // The line says what; where it happened may be long and is for a person.
            e.printStackTrace();
            return failed(e.toString());
        }
    }

    private static String failed(String message) {
        return "FAILED " + message.replaceAll("\\s+", " ");
    }
}
