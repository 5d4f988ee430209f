package perfstudies.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
    void severalNumbersStandBetweenCommas() throws IOException {
        assertArrayEquals(new int[] {3000, 8000}, read("port=3000,8000").numbers("port", 1));
        UsageException error = assertThrows(UsageException.class, () -> read("port=3000,0").numbers("port", 1));
        assertEquals("port = 0: must be a whole number of at least 1", error.getMessage());
    }

    @Test
    void anUnknownPropertyIsRefusedWithTheKnownOnes() {
        UsageException error = assertThrows(UsageException.class, () -> read("prot = 80"));
        assertEquals("unknown property prot; known: keep, mode, port", error.getMessage());
    }

    @Test
    void whatHasNoDefaultMustBeGiven() throws IOException {
        Path file = Files.writeString(folder.resolve("config.properties"), "port=80\n");
        assertEquals("80", Settings.read(file, Settings.required("port")).text("port"));
        UsageException error = assertThrows(UsageException.class,
                () -> Settings.read(file, Settings.required("port", "mode")));
        assertEquals("property mode is missing in " + file, error.getMessage());
        Files.writeString(file, "port=required\nmode=\n");
        assertEquals("", Settings.read(file, Settings.required("port", "mode")).text("mode"), "empty is a value");
    }

    @Test
    void aConstantIsWrittenInSmallLetters() throws IOException {
        assertEquals(TimeUnit.DAYS, read("mode=days").choice("mode", TimeUnit.values()));
        assertEquals(Thread.State.TIMED_WAITING, read("mode=timed-waiting").choice("mode", Thread.State.values()));
        Settings wrong = read("mode=DAYS");
        assertThrows(UsageException.class, () -> wrong.choice("mode", TimeUnit.values()));
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
