package perfstudies.orb.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import perfstudies.orb.Settings;

/**
 * The server as a program: says {@code READY reference}, then answers a line with a line.
 *
 * <pre>
 * statistics     STATISTICS {"receiver_cpu_us": 100, ...}
 * close          CLOSED: the broker has ended, the record is written
 * </pre>
 *
 * What fails is answered {@code FAILED why}, and what it does not know {@code UNKNOWN line}.
 */
public final class Serve {

    private static final int FAILED = 1;

    private Serve() {
    }

    /** Runs until standard input ends; does not return then, but ends the process. */
    public static void run(Path configuration, PrintStream answers) throws Exception {
        OrbServer server = new OrbServer(Settings.read(configuration, OrbServer.PROPERTIES));
        // Both ways to stop end here: the end of input calls exit, a signal does by itself.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop"));
        answers.println("READY " + server.reference());
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            answers.println(answer(server, line));
        }
        System.exit(0);
    }

    private static String answer(OrbServer server, String line) {
        try {
            switch (line.strip()) {
                case "statistics":
                    return "STATISTICS " + json(server.statistics());
                case "close":
                    server.close();
                    return "CLOSED";
                default:
                    return "UNKNOWN " + line;
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            e.printStackTrace();
            return "FAILED " + e.toString().replaceAll("\\s+", " ");
        }
    }

    /** Halting sets the status: a process that a signal ended would tell of the signal, although it stopped cleanly. */
    private static void stop(OrbServer server) {
        int status = 0;
        try {
            server.close();
        } catch (IOException | InterruptedException | RuntimeException e) {
            System.err.println("orb: " + e);
            status = FAILED;
        }
        Runtime.getRuntime().halt(status);
    }

    private static String json(Map<String, Long> counts) {
        return counts.entrySet().stream().map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
