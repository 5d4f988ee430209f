package perfstudies.esb.reliable;

import java.nio.file.Path;
import java.util.Map;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;

/**
 * A process that is the server or the client of one run after another.
 *
 * <pre>
 * open FILE.properties   OPENED address       it is now what the file says, with the databases of its work.dir
 * close                  CLOSED               it is nothing any more, and its database is closed
 * count FOLDER           COUNTED              FOLDER/counted.csv says how often each message was applied
 * </pre>
 *
 * Everything else is for the side that is open.
 */
public final class Main implements Party {

    static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("role", "none"),
            Map.entry("work.dir", "."),
            Map.entry("delivery", "plain"),
            Map.entry("server", ""),
            Map.entry("retry", "false"),
            Map.entry("record", "calls.csv"),
            Map.entry("halt.at", "nowhere"),
            Map.entry("halt.number", "0"),
            Map.entry("again_ms", "3000"),
            Map.entry("store.pause_ms", "0"),
            Map.entry("gap_ms", "0"),
            Map.entry("text.length", "500"));

    private Side side;

    private Main() {
    }

    public static void main(String[] arguments) {
        Launcher.run("esb-reliable", arguments, DEFAULTS, new Main());
    }

    @Override
    public String start(Settings settings) throws Exception {
        Reliability.silence();
        return open(settings);
    }

    private String open(Settings settings) throws Exception {
        close();
        side = switch (settings.word("role", "none", "server", "client")) {
            case "server" -> new Server(settings);
            case "client" -> new Client(settings);
            default -> null;
        };
        return side == null ? "http://127.0.0.1:0" : side.address();
    }

    @Override
    public String answer(String line) throws Exception {
        if (line.startsWith("open ")) {
            return "OPENED " + open(Settings.read(Path.of(line.substring("open ".length())), DEFAULTS));
        }
        if (line.startsWith("count ")) {
            Counting.write(Path.of(line.substring("count ".length())));
            return "COUNTED";
        }
        if (line.equals("close")) {
            close();
            return "CLOSED";
        }
        return side == null ? "UNKNOWN " + line : side.answer(line);
    }

    private void close() throws Exception {
        Side open = side;
        side = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void stop() throws Exception {
        close();
    }
}
