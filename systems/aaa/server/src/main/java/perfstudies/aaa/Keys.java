package perfstudies.aaa;

import java.nio.file.Path;
import perfstudies.aaa.ticket.KeyFiles;

/**
 * Makes the key pair of the tickets, before the AAA server (setting ticket.key) and the service equipment (setting
 * ticket.public) need it: {@code --private FILE --public FILE}.
 */
public final class Keys {

    private static final int FAILED = 1;
    private static final int WRONG_USE = 2;

    private Keys() {
    }

    public static void main(String[] arguments) {
        if (arguments.length != 4 || !arguments[0].equals("--private") || !arguments[2].equals("--public")) {
            System.err.println("keys: allowed: --private FILE --public FILE");
            System.exit(WRONG_USE);
        }
        try {
            KeyFiles.make(Path.of(arguments[1]), Path.of(arguments[3]));
        } catch (Exception e) {
            System.err.println("keys: " + e);
            System.exit(FAILED);
        }
    }
}
