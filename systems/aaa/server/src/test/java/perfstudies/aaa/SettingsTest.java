package perfstudies.aaa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    @TempDir
    private Path folder;

    @Test
    void everyPropertyHasADefaultThatItsRuleAllows() {
        Settings.SERVER.forEach((key, rule) -> assertNull(rule.complaint(rule.standard()), key));
    }

    @Test
    void theStudysDefaultsCount() throws Exception {
        Settings settings = read("");
        assertEquals(100, settings.whole("http.threads"));
        assertEquals(32, settings.whole("ejb.max"));
        assertEquals(400.0, settings.number("timer.unit_ms"));
        assertFalse(settings.truth("timer.random"));
        assertTrue(settings.truth("ejb.strict"));
        assertNull(settings.path("server.log"));
    }

    @Test
    void theFileCountsBeforeTheDefaults() throws Exception {
        Settings settings = read("ejb.max = 64 \ntimer.unit_ms=0.25\nserver.log=/tmp/x.csv\n");
        assertEquals(64, settings.whole("ejb.max"));
        assertEquals(0.25, settings.number("timer.unit_ms"));
        assertEquals(Path.of("/tmp/x.csv"), settings.path("server.log"));
    }

    @Test
    void anUnknownPropertyIsNamed() {
        UsageException e = assertThrows(UsageException.class, () -> read("ejb.maximum=64"));
        assertTrue(e.getMessage().contains("unknown property ejb.maximum, allowed: address"), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"ejb.max,0,1 to 100000", "ejb.max,many,1 to 100000", "repository,bean,'session, entity, entity-2.1'",
        "session.store,yes,'true, false'", "timer.unit_ms,-1,a number from 0 to 1000000000",
        "timer.unit_ms,1e99,a number from 0 to 1000000000", "port,65536,0 to 65535"})
    void aWrongValueIsNamedWithWhatIsAllowed(String key, String value, String allowed) {
        UsageException e = assertThrows(UsageException.class, () -> read(key + "=" + value));
        assertEquals("property " + key + " is " + value + ", allowed: " + allowed, e.getMessage());
    }

    @Test
    void aMissingFileIsAUsageError() {
        assertThrows(UsageException.class, () -> Settings.read(folder.resolve("none")));
    }

    @Test
    void whatIsRequiredMustBeThere() throws Exception {
        Settings settings = read("equipment=http://127.0.0.1:1/equipment");
        assertEquals("http://127.0.0.1:1/equipment", settings.required("equipment"));
        assertThrows(UsageException.class, () -> settings.required("roaming.provider"));
    }

    @Test
    void settingsAreEqualByTheirValues() throws Exception {
        assertEquals(read("ejb.max=32"), read(""));
        assertNotEquals(read("ejb.max=33"), read(""));
    }

    private Settings read(String text) throws IOException, UsageException {
        return Settings.read(Files.writeString(folder.resolve("settings.properties"), text));
    }
}
