package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import perfstudies.launch.UsageException;

class FlightSettingsTest {

    @TempDir
    Path folder;

    @Test
    void readsWhatIsGiven() throws IOException {
        FlightSettings settings = read("log.level = trace", "monitor = layer", "monitor.dir = m");
        assertEquals(Level.TRACE, settings.log().level());
        assertEquals(Path.of("m"), settings.monitorFolder());
        assertEquals(1, settings.poolSize());
        assertTrue(settings.log().location());
        assertFalse(settings.monitorCollections());
        assertEquals(Database.Cache.NONE, settings.cache());
        assertEquals(Domain.OF_THE_STUDY, settings.domain());
        assertEquals(0, settings.retries());
        assertFalse(settings.readsWithoutFlush());
        assertFalse(settings.statistics());

        FlightSettings other = read("cache=read-write", "domain.root=false", "reservation.numbers=random",
                "transaction.retries=1000", "flush=manual-when-read-only", "statistics=true");
        assertEquals(Database.Cache.READ_WRITE, other.cache());
        assertEquals(new Domain(false, ReservationNumbers.RANDOM), other.domain());
        assertEquals(1000, other.retries());
        assertTrue(other.readsWithoutFlush());
        assertTrue(other.statistics());
    }

    @Test
    void namesTheWrongPropertyAndWhatIsAllowed() {
        assertEquals("log.level = loud: must be one of off, fatal, error, warn, info, debug, trace",
                refusal("log.level=loud"));
        assertEquals("port = -1: must be a whole number of at least 0", refusal("port=-1"));
        assertEquals("monitor.wrap = yes: must be one of true, false", refusal("monitor.wrap=yes"));
        assertEquals("cache = all: must be one of none, read-only, read-write, read-write-objects", refusal("cache=all"));
        assertEquals("reservation.numbers = none: must be one of counted, random", refusal("reservation.numbers=none"));
        assertEquals("flush = manual: must be one of auto, manual-when-read-only", refusal("flush=manual"));
        assertTrue(refusal("prot=1").startsWith("unknown property prot; known: cache, connection.pool_size"));
    }

    @Test
    void nothingHasADefault() throws IOException {
        Path file = Configuration.write(folder.resolve("c.properties"));
        List<String> lines = Files.readAllLines(file);
        FlightSettings.read(file);
        for (String line : lines) {
            Files.write(file, lines.stream().filter(other -> !other.equals(line)).toList());
            UsageException refusal = assertThrows(UsageException.class, () -> FlightSettings.read(file));
            assertEquals("property " + line.split("=", 2)[0] + " is missing in " + file, refusal.getMessage());
        }
    }

    @Test
    void layersMayHaveALevelOfTheirOwn() throws IOException {
        assertEquals(Map.of(), read().log().layers());
        assertEquals(Map.of("org.hibernate", Level.WARN, "perfstudies.flight", Level.DEBUG),
                read("log.level.hibernate=warn", "log.level.service=debug").log().layers());
        assertEquals("log.level.service = loud: must be one of off, fatal, error, warn, info, debug, trace",
                refusal("log.level.service=loud"));
        assertTrue(refusal("log.level=off", "log.level.service=debug")
                .startsWith("log.level.service = debug: log.level is off"));
    }

    @Test
    void closingTheDatabaseIsLeftToTheProgram() {
        assertEquals("jdbc:h2:mem:x;DB_CLOSE_ON_EXIT=FALSE", H2.closedByProgram("jdbc:h2:mem:x"));
        assertEquals("jdbc:mariadb://h/x", H2.closedByProgram("jdbc:mariadb://h/x"));
    }

    private String refusal(String... lines) {
        return assertThrows(UsageException.class, () -> read(lines)).getMessage();
    }

    private FlightSettings read(String... lines) throws IOException {
        return FlightSettings.read(Configuration.write(folder.resolve("c.properties"), lines));
    }
}
