package perfstudies.esb.backend;

import java.util.Map;
import perfstudies.launch.Launcher;

/** The program. */
public final class Main {

    /** The defaults bear the study's largest number of clients, each with a connection of its own, and more. */
    static final Map<String, String> DEFAULTS =
            Map.of("port", "0", "threads.core", "100", "threads.max", "4000", "delay_ms", "0", "call.log", "");

    private Main() {}

    public static void main(String[] arguments) {
        Launcher.run("esb-backend", arguments, DEFAULTS, new EchoServer());
    }
}
