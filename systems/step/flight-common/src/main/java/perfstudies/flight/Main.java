package perfstudies.flight;

import java.util.logging.Level;
import java.util.logging.LogManager;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.launch.Launcher;

/** The program: {@code serve --config FILE.properties}, see {@link Launcher}; its commands are {@link Commands}. */
public final class Main {

    private Main() {
    }

    public static void main(String[] arguments) {
        FunctionalLog.connectLibraries();
        // The container's own log is no part of the study's functional log; only its warnings are worth a look.
        LogManager.getLogManager().getLogger("").setLevel(Level.WARNING);
        Launcher.run("flight", arguments, new Commands());
    }
}
