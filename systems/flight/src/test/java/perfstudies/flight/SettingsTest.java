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
import perfstudies.flight.domain.ReservationNumbers;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.service.Domain;

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
    void theStudysOwnWayIsTheDefault() throws Exception {
        Settings settings = read("database.url = x");
        assertEquals(Database.Cache.NONE, settings.cache());
        assertEquals(Domain.OF_THE_STUDY, settings.domain());
        assertEquals(0, settings.retries());
        assertFalse(settings.readsWithoutFlush());
        assertFalse(settings.statistics());

        Settings other = read("database.url=x\ncache=read-write\ndomain.root=false\nreservation.numbers=random\n"
                + "transaction.retries=1000\nflush=manual-when-read-only\nstatistics=true\n");
        assertEquals(Database.Cache.READ_WRITE, other.cache());
        assertEquals(new Domain(false, ReservationNumbers.RANDOM), other.domain());
        assertEquals(1000, other.retries());
        assertTrue(other.readsWithoutFlush());
        assertTrue(other.statistics());
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
        assertEquals("property cache is all, allowed: none, read-only, read-write",
                refusal("database.url=x\ncache=all"));
        assertEquals("property reservation.numbers is none, allowed: counted, random",
                refusal("database.url=x\nreservation.numbers=none"));
        assertEquals("property transaction.retries is 1001, allowed: 0 to 1000",
                refusal("database.url=x\ntransaction.retries=1001"));
        assertEquals("property flush is manual, allowed: auto, manual-when-read-only",
                refusal("database.url=x\nflush=manual"));
        assertTrue(refusal("prot=1").startsWith("unknown property prot, allowed: cache, connection.pool_size"));
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
