package perfstudies.flight.logging;

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
import org.apache.log4j.AsyncAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FunctionalLogTest {

    private static final Logger SERVICE = Logger.getLogger("perfstudies.flight.Anything");
    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate.Anything");
    private static final Map<String, Level> LAYERS =
            Map.of("perfstudies.flight", Level.DEBUG, "org.hibernate", Level.WARN);

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        FunctionalLog.close();
        UserDetail.end();
    }

    @Test
    void aLayerHasItsOwnLevel() throws IOException {
        open(Level.INFO, LAYERS, false, "");
        tellAll("once");

        assertEquals(List.of("INFO  once service", "DEBUG once service", "INFO  once library"), messages());
    }

    @Test
    void offSilencesAllAndTheNextLevelBringsTheLayersBack() throws IOException {
        open(Level.INFO, LAYERS, false, "");
        FunctionalLog.setLevel(Level.OFF);
        tellAll("warm-up");
        FunctionalLog.setLevel(Level.INFO);
        tellAll("measured");

        assertEquals(List.of("INFO  measured service", "DEBUG measured service", "INFO  measured library"), messages());
    }

    @Test
    void theNextLogKnowsNothingOfTheFormer() throws IOException {
        open(Level.INFO, LAYERS, true, "Ana");
        FunctionalLog.open(settings(Level.DEBUG, Map.of(), folder.resolve("second.log"), false, ""));
        tellAll("second");

        assertEquals(List.of(), messages());
        assertEquals(6, Files.readAllLines(folder.resolve("second.log")).size(), "info and debug of three loggers");
        assertNull(Logger.getLogger("org.hibernate").getLevel());
        assertNull(Logger.getLogger("perfstudies.flight").getLevel());
    }

    @Test
    void aLogThatCannotBeOpenedLeavesNone() throws IOException {
        open(Level.INFO, LAYERS, false, "");
        assertThrows(IOException.class, () -> FunctionalLog.open(settings(Level.INFO, LAYERS, folder, false, "")));
        tellAll("nobody listens");

        assertEquals(List.of(), messages());
        assertFalse(Logger.getRootLogger().getAllAppenders().hasMoreElements());
    }

    @Test
    void closingWritesAllThatTheBufferHolds() throws Exception {
        open(Level.INFO, Map.of(), true, "");
        Thread writer = writer();
        int count = 10 * AsyncAppender.DEFAULT_BUFFER_SIZE;
        for (int i = 0; i < count; i++) {
            SERVICE.info(Integer.toString(i));
        }
        FunctionalLog.close();

        assertEquals(count, messages().size());
        assertEquals("INFO  " + (count - 1), messages().get(count - 1));
        assertFalse(writer.isAlive());
    }

    @Test
    void theBufferKeepsThePlaceInTheSource() throws IOException {
        open(Level.INFO, Map.of(), true, "");
        SERVICE.info("here");
        FunctionalLog.close();

        assertTrue(text().matches("\\S+ INFO  \\S+Anything FunctionalLogTest.java:\\d+ - here\n"), text());
    }

    @Test
    void detailsAreThoseOfOneUser() throws IOException {
        for (boolean async : List.of(false, true)) {
            open(Level.DEBUG, Map.of(), async, "Ana");
            SERVICE.debug("nobody");
            UserDetail.begin("Rui");
            SERVICE.debug("other");
            SERVICE.info("important");
            UserDetail.begin("Ana");
            SERVICE.debug("hers");
            UserDetail.end();
            SERVICE.debug("nobody again");
            FunctionalLog.close();

            assertEquals(List.of("INFO  important", "DEBUG hers"), messages());
            Files.delete(folder.resolve("first.log"));
        }
    }

    private void open(Level level, Map<String, Level> layers, boolean async, String user) throws IOException {
        FunctionalLog.open(settings(level, layers, folder.resolve("first.log"), async, user));
    }

    private static LogSettings settings(Level level, Map<String, Level> layers, Path file, boolean async,
            String user) {
        return new LogSettings(level, layers, file, false, true, async, user);
    }

    private static void tellAll(String word) {
        SERVICE.info(word + " service");
        SERVICE.debug(word + " service");
        HIBERNATE.info(word + " hibernate");
        HIBERNATE.debug(word + " hibernate");
        Logger.getLogger("com.library").info(word + " library");
        Logger.getLogger("com.library").debug(word + " library");
    }

    /** The background thread, which is the only one of its name. */
    private static Thread writer() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("Dispatcher-")).findAny().orElseThrow();
    }

    /** The level and the message of every line of this test's; a thread that another test left may log, too. */
    private List<String> messages() throws IOException {
        return text().lines().filter(line -> line.contains(" FunctionalLogTest.java:"))
                .map(line -> line.replaceFirst("^\\S+ (\\S+ +).* - ", "$1")).toList();
    }

    private String text() throws IOException {
        return Files.readString(folder.resolve("first.log"));
    }
}
