package perfstudies.aaa.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import perfstudies.launch.Program;
import perfstudies.launch.UsageException;

/**
 * The program around a container, which answers these lines:
 *
 * <pre>
 * deploy FILE    READY address
 * close          CLOSED
 * statistics     STATISTICS {"requests": 100, ...}
 * </pre>
 */
public final class Commands implements Program {

    private final Deployments deployments;

    /**
     * Makes a program that has not started.
     *
     * @param descriptors further files of the application's WEB-INF, by their names
     */
    public Commands(Container container, Map<String, String> descriptors) {
        deployments = new Deployments(container, descriptors);
    }

    @Override
    public String start(Path configuration) throws Exception {
        try {
            return deployments.replace(configuration);
        } catch (perfstudies.aaa.UsageException e) {
            throw new UsageException(e.getMessage());
        }
    }

    @Override
    public String answer(String line) throws Exception {
        String[] words = line.split("\\s+", 2);
        return switch (words.length + " " + words[0]) {
            case "2 deploy" -> "READY " + start(Path.of(words[1]));
            case "1 close" -> {
                deployments.close();
                yield "CLOSED";
            }
            case "1 statistics" -> "STATISTICS " + statistics();
            default -> "UNKNOWN " + line;
        };
    }

    private String statistics() throws Exception {
        try {
            return deployments.statistics();
        } catch (perfstudies.aaa.UsageException e) {
            throw new UsageException(e.getMessage());
        }
    }

    @Override
    public void stop() throws Exception {
        deployments.end();
    }

    @Override
    public void abandon() throws IOException {
        deployments.removeFiles();
    }
}
