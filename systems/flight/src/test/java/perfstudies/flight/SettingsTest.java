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
import org.apache.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

    @TempDir
    Path folder;

    @Test
    void readsWhatIsGivenAndTakesDefaultsForTheRest() throws Exception {
        Settings settings = read("database.url = jdbc:h2:mem:x\nlog.level = trace\nmonitor = layer\nmonitor.dir = m\n");

        assertEquals(Level.TRACE, settings.logLevel());
        assertEquals(Path.of("m"), settings.monitorFolder());
        assertEquals(1, settings.poolSize());
        assertTrue(settings.logLocation());
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
        assertEquals("property monitor.dir is missing", refusal("database.url=x\nmonitor=layer"));
        assertTrue(refusal("prot=1").startsWith("unknown property prot, allowed: connection.pool_size, database"));
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
