package perfstudies.orb.server;

import java.util.Map;
import java.util.stream.Collectors;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;

/**
 * The server as a program, which says {@code READY reference,reference...} and answers these lines.
 *
 * <pre>
 * statistics     STATISTICS {"receiver_cpu_us": 100, ...}
 * close          CLOSED: the broker has ended, the record is written
 * </pre>
 */
public final class Main implements Party {

    private static final Map<String, String> PROPERTIES =
            Settings.required(
                    "dispatchers", "queue.max", "requests", "record", "looks", "receiver.demand_us", "wakes", "objects",
                    "single");

    private volatile OrbServer server;

    private Main() {
    }

    public static void main(String[] arguments) {
        Launcher.run("orb server", arguments, PROPERTIES, new Main());
    }

    @Override
    public String start(Settings settings) throws Exception {
        server = new OrbServer(settings);
        return String.join(",", server.references());
    }

    @Override
    public String answer(String line) throws Exception {
        switch (line) {
            case "statistics":
                return "STATISTICS " + json(server.statistics());
            case "close":
                server.close();
                return "CLOSED";
            default:
                return "UNKNOWN " + line;
        }
    }

    @Override
    public void stop() throws Exception {
        OrbServer started = server;
        if (started != null) {
            started.close();
        }
    }

    private static String json(Map<String, Long> counts) {
        return counts.entrySet().stream().map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
