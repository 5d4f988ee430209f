package perfstudies.orb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {

    private static final Map<String, Settings.Rule> RULES = Map.of(
            "record", new Settings.Text(), "dispatchers", new Settings.Whole(1, 25));

    @TempDir
    private Path folder;

    @Test
    void valuesAreThoseOfTheFile() throws Exception {
        Settings settings = read("record = /tmp/a b.csv \ndispatchers=25\n");
        assertEquals(Path.of("/tmp/a b.csv"), settings.path("record"));
        assertEquals(25, settings.whole("dispatchers"));
        assertThrows(IllegalArgumentException.class, () -> settings.text("queue"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "record=x;dispatchers=0   | property dispatchers is 0, allowed: 1 to 25",
        "record=x;dispatchers=26  | property dispatchers is 26, allowed: 1 to 25",
        "record=x;dispatchers=two | property dispatchers is two, allowed: 1 to 25",
        "record= ;dispatchers=2   | property record is missing",
        "dispatchers=2;queue=1    | unknown property queue, allowed: dispatchers, record"})
    void whatIsWrongIsNamed(String lines, String complaint) {
        UsageException thrown = assertThrows(UsageException.class, () -> read(lines.replace(';', '\n')));
        assertEquals(complaint, thrown.getMessage());
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThrows(UsageException.class, () -> Settings.read(folder.resolve("none"), RULES));
    }

    private Settings read(String text) throws IOException, UsageException {
        return Settings.read(Files.writeString(folder.resolve("settings"), text), RULES);
    }
}
