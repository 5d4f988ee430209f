package perfstudies.esb.camel;

import java.util.Map;
import perfstudies.launch.Launcher;

/** The program. */
public final class Main {

    static final Map<String, String> DEFAULTS = Map.of("port", "0", "backend", "", "streaming", "false",
            "threads", Threads.DEFAULT, "work.dir", "");

    private Main() {
    }

    public static void main(String[] arguments) {
        BriefFormatter.install();
        Launcher.run("esb-camel", arguments, DEFAULTS, new Engine());
    }
}
