package perfstudies.aaa.openejb;

import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import perfstudies.aaa.launch.Commands;
import perfstudies.launch.Launcher;

/** The program: {@code serve --config FILE.properties}, see {@link Launcher}; its commands are {@link Commands}. */
public final class Main {

    /**
     * Those who complain of what is as it should be: of the threads of the JDK's HTTP clients, which end by themselves,
     * and of an agent that nothing here needs. Loggers that nobody holds are forgotten with their levels.
     */
    private static final List<Logger> SILENCED = Stream.of("org.apache.catalina.loader.WebappClassLoaderBase",
            "org.apache.openejb.javaagent.Agent").map(Logger::getLogger).toList();

    private Main() {
    }

    public static void main(String[] arguments) {
        Logger.getLogger("").setLevel(Level.WARNING);
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
        Launcher.run("aaa-openejb", arguments, new Commands(new OpenEjbContainer(), Map.of()));
    }
}
