package perfstudies.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

    @TempDir
    private Path folder;

    private Settings read(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("config.properties"), text);
        return Settings.read(file, Map.of("port", "0", "mode", "plain", "keep", "true"));
    }

    @Test
    void aFileReplacesDefaults() throws IOException {
        Settings settings = read("port = 80\n");
        assertEquals(80, settings.number("port", 0));
        assertEquals("plain", settings.word("mode", "plain", "other"));
        assertTrue(settings.flag("keep"));
    }

    @Test
    void anUnknownPropertyIsRefusedWithTheKnownOnes() {
        UsageException error = assertThrows(UsageException.class, () -> read("prot = 80"));
        assertEquals("unknown property prot; known: keep, mode, port", error.getMessage());
    }

    @Test
    void valuesOfTheWrongKindAreRefused() throws IOException {
        Settings settings = read("port=many\nmode=x\nkeep=yes");
        assertThrows(UsageException.class, () -> settings.number("port", 0));
        assertThrows(UsageException.class, () -> settings.word("mode", "plain"));
        assertThrows(UsageException.class, () -> settings.flag("keep"));
        assertThrows(UsageException.class, () -> read("port=-1").number("port", 0));
    }

    @Test
    void aMissingFileIsRefused() {
        assertThrows(UsageException.class, () -> Settings.read(folder.resolve("none"), Map.of()));
    }
}
