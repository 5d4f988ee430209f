package perfstudies.aaa.equipment;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import perfstudies.aaa.Settings;
import perfstudies.aaa.UsageException;

/**
 * The program: {@code serve --config FILE.properties}. Says {@code READY address} on standard output, and ends when its
 * standard input ends or a signal tells it to.
 */
public final class Main {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;

    private Main() {
    }

    public static void main(String[] arguments) {
        try {
            if (arguments.length != 3 || !arguments[0].equals("serve") || !arguments[1].equals("--config")) {
                throw new UsageException("allowed: serve --config FILE");
            }
            Settings settings = Settings.read(Path.of(arguments[2]), EquipmentServer.PROPERTIES);
            // Idle connections beyond the JDK's 200 would be closed under the clients that still hold them.
            System.setProperty("sun.net.httpserver.maxIdleConnections", "32768");
            EquipmentServer server = new EquipmentServer(settings, Clock.systemUTC());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop"));
            System.out.println("READY " + server.address());
            while (System.in.read() >= 0) {
                // What comes in has no meaning; only its end has.
            }
            System.exit(0);
        } catch (UsageException e) {
            System.err.println("equipment: " + e.getMessage());
            System.exit(WRONG_USE);
        } catch (IOException e) {
            System.err.println("equipment: " + e);
            System.exit(FAILED);
        }
    }

    /** Halting sets the status: a process that a signal ended would tell of the signal, although it stopped cleanly. */
    private static void stop(EquipmentServer server) {
        int status = 0;
        try {
            server.close();
        } catch (IOException e) {
            System.err.println("equipment: " + e);
            status = FAILED;
        }
        Runtime.getRuntime().halt(status);
    }
}
