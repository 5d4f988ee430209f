package perfstudies.aaa.glassfish;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** How much GlassFish says on standard error: only what is wrong. */
final class Logs {

    /** Those who warn of what is as it should be, or write a stack trace for every connection that is refused. */
    private static final List<String> SILENT = List.of("org.glassfish.grizzly");

    /** Loggers that nobody holds are forgotten with their levels. */
    private static final List<Logger> SILENCED = SILENT.stream().map(Logger::getLogger).toList();

    private Logs() {
    }

    static void quiet() {
        Logger.getLogger("").setLevel(Level.WARNING);
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
    }
}
