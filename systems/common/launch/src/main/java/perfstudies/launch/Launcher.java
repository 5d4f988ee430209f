package perfstudies.launch;

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

/**
 * Runs a program in a process of its own.
 *
 * <pre>
 * serve --config FILE.properties
 * </pre>
 *
 * Standard output has one line {@code READY address} when the program answers, and one for each line of standard
 * input, which are {@linkplain Program#answer its commands}: {@code FAILED why} for those that fail, which is not
 * the end, nor is an error such as a full heap. The process ends when its standard input ends, even while a command is
 * under way, so that it never outlives who started it, or when it is told to by a signal.
 */
public final class Launcher {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;
    /** A program that cannot be stopped within this time is ended as it is. */
    private static final long PATIENCE_MS = 10_000;

    private final String name;
    private final PrintStream answers;
    private final Program program;
    private final AtomicBoolean ending = new AtomicBoolean();

    private Launcher(String name, PrintStream answers, Program program) {
        this.name = name;
        this.answers = answers;
        this.program = program;
    }

    /**
     * Runs a program that is told by settings what to be; does not return before the process ends.
     *
     * @param name how the program calls itself in its complaints
     * @param defaults every property that it knows, with its default or {@linkplain Settings#required without}
     */
    public static void run(String name, String[] arguments, Map<String, String> defaults, Party party) {
        run(name, arguments, new Program() {

            @Override
            public String start(Path configuration) throws Exception {
                return party.start(Settings.read(configuration, defaults));
            }

            @Override
            public String answer(String line) throws Exception {
                return party.answer(line);
            }

            @Override
            public void stop() throws Exception {
                party.stop();
            }
        });
    }

    /**
     * Runs a program; does not return before the process ends.
     *
     * @param name how the program calls itself in its complaints
     */
    public static void run(String name, String[] arguments, Program program) {
        PrintStream answers = System.out;
        // Libraries write to it what is no answer to anybody.
        System.setOut(System.err);
        if (arguments.length != 3 || !arguments[0].equals("serve") || !arguments[1].equals("--config")) {
            System.err.println(name + ": usage: serve --config FILE.properties");
            System.exit(WRONG_USE);
        }
        new Launcher(name, answers, program).serve(Path.of(arguments[2]));
    }

    private void serve(Path configuration) {
        // Both ways to end come here: the end of input calls it, a signal does so by way of the hook.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(0), "end"));
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread input = new Thread(() -> read(lines), "input");
        input.setDaemon(true);
        input.start();
        try {
            answers.println("READY " + program.start(configuration));
        } catch (UsageException e) {
            System.err.println(name + ": " + e.getMessage());
            end(WRONG_USE);
        } catch (Exception | Error e) {
            System.err.println(name + ": " + e);
            e.printStackTrace();
            end(FAILED);
        }
        try {
            while (true) {
                answers.println(answer(program, lines.take()));
            }
        } catch (InterruptedException e) {
            end(FAILED);
        }
    }

    /** Returns a program's answer to a line, itself one line, whatever happens. */
    public static String answer(Program program, String line) {
        try {
            return program.answer(line.strip());
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
     * Stops the program and halts the process; never returns. Halting sets the status: a process that a signal ended
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
                program.stop();
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
                System.err.println(name + ": it could not be stopped within " + PATIENCE_MS + " ms");
                program.abandon();
            }
        } catch (Exception | Error e) {
            System.err.println(name + ": " + e);
        } finally {
            Runtime.getRuntime().halt(result[0]);
        }
    }
}
