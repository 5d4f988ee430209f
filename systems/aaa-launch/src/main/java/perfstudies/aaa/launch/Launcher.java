package perfstudies.aaa.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import perfstudies.aaa.UsageException;

/**
 * The program around a container.
 *
 * <pre> serve --config FILE.properties
 * </pre>
 *
 * Standard output has one line when the server is ready, and one for each line of standard input, which are {@link
 * Commands}. The process ends when its standard input ends, even while a command is under way, so that it never
 * outlives who started it, or when it is told to by a signal.
 */
public final class Launcher {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;
    /** A server that cannot be stopped within this time is ended as it is. */
    private static final long PATIENCE_MS = 10_000;

    private final String name;
    private final PrintStream answers;
    private final Deployments deployments;
    private final AtomicBoolean ending = new AtomicBoolean();

    private Launcher(String name, PrintStream answers, Deployments deployments) {
        this.name = name;
        this.answers = answers;
        this.deployments = deployments;
    }

    /**
     * Runs the program; does not return before the process ends.
     *
     * @param name how the program calls itself in its complaints
     * @param descriptors further files of the application's WEB-INF, by their names
     */
    public static void run(String name, String[] arguments, Container container, Map<String, String> descriptors) {
        PrintStream answers = System.out;
        // Containers write to it what is no answer to anybody.
        System.setOut(System.err);
        if (arguments.length != 3 || !arguments[0].equals("serve") || !arguments[1].equals("--config")) {
            System.err.println(name + ": usage: serve --config FILE.properties");
            System.exit(WRONG_USE);
        }
        new Launcher(name, answers, new Deployments(container, descriptors)).serve(Path.of(arguments[2]));
    }

    private void serve(Path configuration) {
        // Both ways to end come here: the end of input calls it, a signal does so by way of the hook.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(0), "end"));
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread input = new Thread(() -> read(lines), "input");
        input.setDaemon(true);
        input.start();
        try {
            answers.println("READY " + deployments.replace(configuration));
        } catch (UsageException e) {
            System.err.println(name + ": " + e.getMessage());
            end(WRONG_USE);
        } catch (Exception | Error e) {
            System.err.println(name + ": " + e);
            e.printStackTrace();
            end(FAILED);
        }
        Commands commands = new Commands(deployments, answers);
        try {
            while (true) {
                commands.obey(lines.take());
            }
        } catch (InterruptedException e) {
            end(FAILED);
        }
    }

    private void read(BlockingQueue<String> lines) {
        try {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            System.err.println(name + ": " + e);
        }
        end(0);
    }

    /**
     * Stops the server and halts the process; never returns. Halting sets the status: a process that a signal ended
     * would tell of the signal, although it stopped cleanly.
     */
    private void end(int status) {
        while (!ending.compareAndSet(false, true)) {
            // Somebody else is about to halt. A hook that returned would let the process end before that.
            LockSupport.park(this);
        }
        int[] result = {status};
        Thread stop = new Thread(() -> {
            try {
                deployments.end();
            } catch (Exception | Error e) {
                e.printStackTrace();
                result[0] = FAILED;
            }
        }, "stop");
        stop.setDaemon(true);
        try {
            stop.start();
            stop.join(PATIENCE_MS);
            if (stop.isAlive()) {
                System.err.println(name + ": the server could not be stopped within " + PATIENCE_MS + " ms");
                deployments.removeFiles();
            }
        } catch (Exception | Error e) {
            System.err.println(name + ": " + e);
        } finally {
            Runtime.getRuntime().halt(result[0]);
        }
    }
}
