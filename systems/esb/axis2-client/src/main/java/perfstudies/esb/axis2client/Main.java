package perfstudies.esb.axis2client;

import java.nio.file.Path;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.axis2.client.ServiceClient;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;

/**
 * The program. It is ready with the name of the jar that Axis2 comes from. Its line of standard input is {@code call
 * FILE.properties}: make the calls of {@link Plan}, and answer {@code CALLED pooled opened}: how many connections the
 * pool holds then, and how many were opened for the calls.
 */
public final class Main implements Party {

    /** Above all others; Axis2 tells there that it has no repository, each time. */
    private static final Logger LOG = Logger.getLogger("");

    public static void main(String[] arguments) {
        Launcher.run("esb-axis2-client", arguments, Map.of(), new Main());
    }

    @Override
    public String start(Settings settings) {
        LOG.setLevel(Level.WARNING);
        return Path.of(ServiceClient.class.getProtectionDomain().getCodeSource().getLocation().getPath())
                .getFileName().toString();
    }

    @Override
    public String answer(String line) throws Exception {
        if (!line.startsWith("call ")) {
            return Party.super.answer(line);
        }
        Path file = Path.of(line.substring("call ".length()));
        try (Calls calls = new Calls(Plan.read(file))) {
            calls.make();
            return "CALLED " + calls.connections() + " " + calls.opened();
        }
    }

    @Override
    public void stop() {
        // Calls under way end with the process.
    }
}
