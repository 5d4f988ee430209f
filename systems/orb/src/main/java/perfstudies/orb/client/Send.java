package perfstudies.orb.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import perfstudies.orb.Settings;
import perfstudies.orb.UsageException;

/**
 * The client as a program: connects, warms the server up, says {@code READY client}, and waits for the line {@code GO
 * time}, a time of {@link System#nanoTime()} from which its arrivals count. When all have ended and are on record it
 * says {@code DONE {"sent": 100, "answered": 100}}. When its standard input ends, so does it, whatever is under way.
 */
public final class Send {

    private static final Map<String, Settings.Rule> PROPERTIES = Map.of(
            "server", new Settings.Text(),
            "connections", new Settings.Whole(1, 1000),
            "threads", new Settings.Whole(1, 10_000),
            "arrivals", new Settings.Text(),
            "record", new Settings.Text(),
            "demand_us", new Settings.Whole(0, 1_000_000),
            "timeout_ms", new Settings.Whole(1, 3_600_000),
            "warm_up.requests", new Settings.Whole(0, 1_000_000),
            "warm_up.demand_us", new Settings.Whole(0, 1_000_000),
            "warm_up.threads", new Settings.Whole(1, 1000));
    private static final int ORPHANED = 4;

    private static volatile boolean done;

    private Send() {
    }

    /** Runs until standard input ends; does not return then, but ends the process. */
    public static void run(Path configuration, PrintStream answers) throws Exception {
        Settings settings = Settings.read(configuration, PROPERTIES);
        int connectionCount = settings.whole("connections");
        Schedule schedule = Schedule.read(settings.path("arrivals"), connectionCount);
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread input = new Thread(() -> read(lines), "input");
        input.setDaemon(true);
        input.start();

        Connections connections = new Connections(settings.text("server"), connectionCount,
                settings.whole("timeout_ms"));
        Schedule warmUp = Schedule.atOnce(settings.whole("warm_up.requests"), connectionCount);
        new Sender(connections, warmUp, settings.whole("warm_up.demand_us"), false)
                .send(System.nanoTime(), settings.whole("warm_up.threads"));
        Sender sender = new Sender(connections, schedule, settings.whole("demand_us"), true);
        answers.println("READY client");

        ClientRecord record = sender.send(start(lines.take()), settings.whole("threads"));
        record.write(settings.path("record"));
        done = true;
        answers.println("DONE {\"sent\": " + record.sent() + ", \"answered\": " + record.answered() + "}");
        while (true) {
            answers.println("UNKNOWN " + lines.take());
        }
    }

    private static long start(String line) throws UsageException {
        try {
            if (line.startsWith("GO ")) {
                return Long.parseLong(line.substring("GO ".length()).strip());
            }
        } catch (NumberFormatException e) {
            // answered below, like another word
        }
        throw new UsageException("was told " + line + " instead of when to GO");
    }

    private static void read(BlockingQueue<String> lines) {
        try {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            System.err.println("orb: " + e);
        }
        // Whoever started it is gone, or needs it no more.
        Runtime.getRuntime().halt(done ? 0 : ORPHANED);
    }
}
