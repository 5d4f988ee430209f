package perfstudies.flight;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.catalina.LifecycleException;
import org.apache.log4j.Level;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Tracing;
import perfstudies.launch.Program;
import perfstudies.launch.UsageException;

/**
 * The program around the one service that the process runs at a time, or none, which answers these lines:
 *
 * <pre>
 * deploy FILE    READY address
 * close          CLOSED
 * statistics     STATISTICS {"transactions": 100, ...}
 * level NAME     LEVEL NAME
 * </pre>
 *
 * A service leaves nothing behind for the next one; after an error such as a full heap only a new deployment frees the
 * process.
 */
final class Commands implements Program {

    private Serve service;

    /** Closes the running service, if there is one, and starts another. */
    @Override
    public synchronized String start(Path configuration) throws IOException, LifecycleException {
        stop();
        service = new Serve(FlightSettings.read(configuration));
        return service.address();
    }

    @Override
    public String answer(String line) throws Exception {
        String[] words = line.split("\\s+", 2);
        return switch (words.length + " " + words[0]) {
            case "2 deploy" -> "READY " + start(Path.of(words[1]));
            case "1 close" -> {
                stop();
                yield "CLOSED";
            }
            case "1 statistics" -> "STATISTICS " + statistics();
            case "2 level" -> level(line, words[1]);
            default -> Program.super.answer(line);
        };
    }

    /** Closes the running service, if there is one. One that cannot be closed well is not tried again. */
    @Override
    public synchronized void stop() throws IOException {
        Serve old = service;
        service = null;
        if (old != null) {
            old.close();
        }
    }

    /** What the running service counted since it started or was last asked, as a JSON object. */
    private synchronized String statistics() {
        if (service == null) {
            throw new UsageException("no service is deployed");
        }
        return service.statistics().entrySet().stream()
                .map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private String level(String line, String name) throws Exception {
        Level level = FlightSettings.LEVELS.get(name);
        if (level == null) {
            return Program.super.answer(line);
        }
        Level before = FunctionalLog.level();
        FunctionalLog.setLevel(level);
        try {
            Tracing.check();
        } catch (UsageException e) {
            FunctionalLog.setLevel(before);
            throw e;
        }
        return "LEVEL " + level.toString().toLowerCase(Locale.ROOT);
    }
}
