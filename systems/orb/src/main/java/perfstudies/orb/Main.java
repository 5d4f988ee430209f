package perfstudies.orb;

import java.io.PrintStream;
import java.nio.file.Path;
import perfstudies.orb.client.Send;
import perfstudies.orb.server.Serve;

/**
 * The programs.
 *
 * <pre>
 * serve --config FILE.properties
 * send --config FILE.properties
 * </pre>
 *
 * Standard output has one line when the program is ready, and one for each line of standard input. A program ends when
 * its standard input ends, so that it never outlives who started it.
 */
public final class Main {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;

    private Main() {
    }

    public static void main(String[] arguments) {
        PrintStream answers = System.out;
        // The broker writes to it what is no answer to anybody.
        System.setOut(System.err);
        try {
            if (arguments.length != 3 || !arguments[1].equals("--config")) {
                throw new UsageException("allowed: serve --config FILE, send --config FILE");
            }
            Path configuration = Path.of(arguments[2]);
            switch (arguments[0]) {
                case "serve" -> Serve.run(configuration, answers);
                case "send" -> Send.run(configuration, answers);
                default -> throw new UsageException("unknown command " + arguments[0] + ", allowed: serve, send");
            }
        } catch (UsageException e) {
            System.err.println("orb: " + e.getMessage());
            System.exit(WRONG_USE);
        } catch (Exception | Error e) {
            System.err.println("orb: " + e);
            e.printStackTrace();
            System.exit(FAILED);
        }
    }
}
