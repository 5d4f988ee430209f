package perfstudies.esb.axis2client;

import java.nio.file.Path;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;

/**
 * The program. Its line of standard input is {@code call FILE.properties}: make the calls of {@link Plan}, and answer
 * {@code CALLED connections}, how many connections the pool holds then.
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
        return "for calls";
    }

    @Override
    public String answer(String line) throws Exception {
        if (!line.startsWith("call ")) {
            return Party.super.answer(line);
        }
        Path file = Path.of(line.substring("call ".length()));
        try (Calls calls = new Calls(Plan.read(file))) {
            calls.make();
            return "CALLED " + calls.connections();
        }
    }

    @Override
    public void stop() {
        // Calls under way end with the process.
    }
}
