package perfstudies.flight;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogManager;
import perfstudies.flight.data.DataException;
import perfstudies.flight.logging.FunctionalLog;

/**
 * The program.
 *
 * <pre>
 * populate --database PATH --data DIR
 * populate --url URL --user NAME --password WORD --data DIR
 * serve --config FILE.properties
 * </pre>
 *
 * Standard output has one line when the server is ready, and one for each line of standard input, which are
 * {@link Commands}. The server stops when its standard input ends, so that it never outlives who started it, or when it
 * is told to by a signal.
 */
public final class Main {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;

    private Main() {
    }

    public static void main(String[] arguments) {
        FunctionalLog.connectLibraries();
        quietContainer();
        try {
            run(arguments);
        } catch (UsageException | DataException e) {
            System.err.println("flight: " + e.getMessage());
            System.exit(WRONG_USE);
        } catch (Exception e) {
            System.err.println("flight: " + e);
            e.printStackTrace();
            System.exit(FAILED);
        }
    }

    private static void run(String[] arguments) throws Exception {
        String command = arguments.length == 0 ? "" : arguments[0];
        List<String> rest = Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length);
        switch (command) {
            case "populate" -> {
                if (rest.contains("--url")) {
                    Options options = new Options(rest, List.of("--url", "--user", "--password", "--data"));
                    Populate.run(options.get("--url"), options.get("--user"), options.get("--password"),
                            Path.of(options.get("--data")));
                } else {
                    Options options = new Options(rest, List.of("--database", "--data"));
                    Populate.run(Path.of(options.get("--database")), Path.of(options.get("--data")));
                }
            }
            case "serve" -> {
                Options options = new Options(rest, List.of("--config"));
                serve(Path.of(options.get("--config")));
            }
            default -> throw new UsageException("unknown command " + command + ", allowed: populate, serve");
        }
    }

    private static void serve(Path configuration) throws Exception {
        Deployment deployment = new Deployment();
        String address = deployment.replace(configuration);
        // Both ways to stop end here: the end of input calls exit, a signal does by itself.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(deployment), "stop"));
        System.out.println("READY " + address);
        new Commands(deployment, System.out).obey(
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
        System.exit(0);
    }

    /** Halting sets the status: a process that a signal ended would tell of the signal, although it stopped cleanly. */
    private static void stop(Deployment deployment) {
        int status = 0;
        try {
            deployment.close();
        } catch (Exception e) {
            System.err.println("flight: " + e);
            status = FAILED;
        }
        Runtime.getRuntime().halt(status);
    }

    /** The container's own log is no part of the study's functional log; only its warnings are worth a look. */
    private static void quietContainer() {
        LogManager.getLogManager().getLogger("").setLevel(Level.WARNING);
    }
}
