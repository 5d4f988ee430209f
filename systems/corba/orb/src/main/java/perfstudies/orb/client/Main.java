package perfstudies.orb.client;

import java.nio.file.Path;
import java.util.Map;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/**
 * The client as a program: connects, warms the server up, says {@code READY client}, and waits for the line {@code GO
 * time}, a time of {@link System#nanoTime()} from which its arrivals count. When all have ended and are on record it
 * says {@code DONE {"sent": 100, "answered": 100}}.
 */
public final class Main implements Party {

    private static final Map<String, String> PROPERTIES = Settings.required("server", "connections", "threads",
            "arrivals", "record", "demand_us", "timeout_ms", "warm_up.requests", "warm_up.demand_us",
            "warm_up.threads");

    private Sender sender;
    private int threads;
    private Path recordFile;

    private Main() {
    }

    public static void main(String[] arguments) {
        Launcher.run("orb client", arguments, PROPERTIES, new Main());
    }

    @Override
    public String start(Settings settings) throws Exception {
        int connectionCount = settings.number("connections", 1);
        threads = settings.number("threads", 1);
        recordFile = Path.of(settings.text("record"));
        Schedule schedule = Schedule.read(Path.of(settings.text("arrivals")), connectionCount);
        int[] demandsUs = settings.numbers("demand_us", 0);
        Schedule warmUp = Schedule.atOnce(settings.number("warm_up.requests", 0), connectionCount);
        int[] warmUpDemandUs = settings.numbers("warm_up.demand_us", 0);
        int warmUpThreads = settings.number("warm_up.threads", 1);

        Connections connections = new Connections(settings.text("server"), connectionCount,
                settings.number("timeout_ms", 1));
        new Sender(connections, warmUp, warmUpDemandUs, false).send(System.nanoTime(), warmUpThreads);
        sender = new Sender(connections, schedule, demandsUs, true);
        return "client";
    }

    @Override
    public String answer(String line) throws Exception {
        if (!line.startsWith("GO ")) {
            return "UNKNOWN " + line;
        }
        ClientRecord record = sender.send(startNs(line), threads);
        record.write(recordFile);
        return "DONE {\"sent\": " + record.sent() + ", \"answered\": " + record.answered() + "}";
    }

    /** Does nothing: what is under way is of no use any more, and all threads end with the process. */
    @Override
    public void stop() {
    }

    private static long startNs(String line) {
        try {
            return Long.parseLong(line.substring("GO ".length()).strip());
        } catch (NumberFormatException e) {
            throw new UsageException(line + ": GO must be followed by a time in nanoseconds");
        }
    }
}
