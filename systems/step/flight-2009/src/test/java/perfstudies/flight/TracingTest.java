package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Database;
import perfstudies.launch.Launcher;

/** A process that began at another level, as every other test's has, never gets to trace. */
class TracingTest {

    private static final String REFUSAL = "FAILED Hibernate 3 tells of values (trace) in all of a process or in "
            + "nothing of it, and this process began without: start another";

    @TempDir
    Path folder;

    private final Commands commands = new Commands();

    @AfterEach
    void close() throws Exception {
        commands.stop();
        FunctionalLog.setLevel(Level.OFF);
    }

    @Test
    void traceIsRefusedAndTheLevelStays() throws Exception {
        String url = "jdbc:h2:file:" + folder.resolve("a");
        TestDomain.fill(new Database(url, "sa", "", 1));
        assertTrue(deploy(url, "log.level=info").startsWith("READY "));

        assertEquals(REFUSAL, Launcher.answer(commands, "level trace"));
        assertEquals(Level.INFO, FunctionalLog.level());
        assertEquals("LEVEL off", Launcher.answer(commands, "level off"));
        assertEquals("LEVEL debug", Launcher.answer(commands, "level debug"));
        assertEquals(REFUSAL, deploy(url, "log.level=trace"));
        assertEquals(REFUSAL, deploy(url, "log.level.hibernate=trace"));
        assertTrue(deploy(url, "log.level.service=trace").startsWith("READY "), "the service's own");
        assertFalse(Files.readString(folder.resolve("functional.log")).contains("TRACE org.hibernate"));
    }

    private String deploy(String url, String level) throws Exception {
        Path file = Configuration.write(folder.resolve("c.properties"), "database.url=" + url, level);
        return Launcher.answer(commands, "deploy " + file);
    }
}
