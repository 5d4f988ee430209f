package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

    @TempDir
    Path folder;

    @Test
    void readsWhatIsGivenAndTakesDefaultsForTheRest() throws Exception {
        Settings settings = read("database.url = jdbc:h2:mem:x\nlog.level = trace\nmonitor = layer\nmonitor.dir = m\n");

        assertEquals(Level.TRACE, settings.log().level());
        assertEquals(Path.of("m"), settings.monitorFolder());
        assertEquals(1, settings.poolSize());
        assertTrue(settings.log().location());
        assertFalse(settings.monitorCollections());
        assertNull(settings.extensionsFile());
    }

    @Test
    void namesTheWrongPropertyAndWhatIsAllowed() {
        assertEquals("property database.url is missing", refusal(""));
        assertEquals("property log.level is loud, allowed: off, fatal, error, warn, info, debug, trace",
                refusal("database.url=x\nlog.level=loud"));
        assertEquals("property port is 70000, allowed: 0 to 65535", refusal("database.url=x\nport=70000"));
        assertEquals("property monitor.wrap is yes, allowed: true, false",
                refusal("database.url=x\nmonitor.wrap=yes"));
        assertTrue(refusal("prot=1").startsWith("unknown property prot, allowed: connection.pool_size, database"));
    }

    @Test
    void everyMonitorNeedsAFolder() throws Exception {
        for (String monitor : List.of("layer", "event", "perf4j")) {
            Settings settings = read("database.url=x\nmonitor=" + monitor + "\nmonitor.dir=m\n");
            assertTrue(settings.monitorOn());
            assertEquals(Path.of("m"), settings.monitorFolder());
            assertEquals("property monitor.dir is missing", refusal("database.url=x\nmonitor=" + monitor));
        }
        assertFalse(read("database.url=x\nmonitor.dir=m\n").monitorOn());
    }

    @Test
    void layersMayHaveALevelOfTheirOwn() throws Exception {
        assertEquals(Map.of(), read("database.url=x\n").log().layers());
        assertEquals(Map.of("org.hibernate", Level.WARN, "perfstudies.flight", Level.DEBUG),
                read("database.url=x\nlog.level.hibernate=warn\nlog.level.service=debug\n").log().layers());
        assertEquals("property log.level.service is loud, allowed: off, fatal, error, warn, info, debug, trace",
                refusal("database.url=x\nlog.level.service=loud"));
        assertTrue(refusal("database.url=x\nlog.level=off\nlog.level.service=debug")
                .startsWith("property log.level.service is debug, but log.level is off"));
    }

    @Test
    void optionsAreExactlyThoseOfTheCommand() throws UsageException {
        List<String> allowed = List.of("--data", "--database");

        assertEquals("d", new Options(List.of("--database", "x", "--data", "d"), allowed).get("--data"));
        assertThrows(UsageException.class, () -> new Options(List.of("--data", "d"), allowed));
        assertThrows(UsageException.class, () -> new Options(List.of("--data", "d", "--data", "e"), allowed));
        assertThrows(UsageException.class, () -> new Options(List.of("--data"), allowed));
        assertThrows(UsageException.class, () -> new Options(List.of("--dat", "d"), allowed));
    }

    @Test
    void closingTheDatabaseIsLeftToTheProgram() {
        assertEquals("jdbc:h2:mem:x;DB_CLOSE_ON_EXIT=FALSE", H2.closedByProgram("jdbc:h2:mem:x"));
        assertEquals("jdbc:mariadb://h/x", H2.closedByProgram("jdbc:mariadb://h/x"));
    }

    private String refusal(String text) {
        return assertThrows(UsageException.class, () -> read(text)).getMessage();
    }

    private Settings read(String text) throws IOException, UsageException {
        return Settings.read(Files.writeString(folder.resolve("c.properties"), text));
    }
}
