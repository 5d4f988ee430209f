package perfstudies.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.perf4j.StopWatch;

class Perf4JMonitorTest {

    private static final Logger LIBRARY = Logger.getLogger(StopWatch.DEFAULT_LOGGER_NAME);

    @TempDir
    Path folder;

    private final List<String> reports = new ArrayList<>();
    private final StringWriter functionalLog = new StringWriter();
    private Perf4JMonitor monitor;

    @BeforeEach
    void startMonitor() throws IOException {
        Logger.getRootLogger().addAppender(new WriterAppender(new PatternLayout("%m%n"), functionalLog));
        Logger.getRootLogger().setLevel(Level.OFF);
        monitor = new Perf4JMonitor(folder, reports::add);
    }

    @AfterEach
    void close() {
        monitor.close();
        Logger.getRootLogger().removeAllAppenders();
    }

    @Test
    void writesALineAtOnceForEveryExit() throws IOException {
        monitor.enter("filter");
        monitor.enter("soap");
        monitor.context("soap", "name", "searchFlights");
        monitor.enter("hibernate.load");
        monitor.exit("hibernate.load");
        assertEquals(List.of("tag[hibernate.load]"), withoutTimes(), "before the request is over");
        monitor.context("soap", "outcome", "a,b S\u00e3o");
        monitor.exit("soap");
        monitor.exit("filter");

        assertEquals(List.of("tag[hibernate.load]", "tag[soap] message[name=searchFlights,outcome=a%2Cb S\u00e3o]",
                "tag[filter]"), withoutTimes());
        assertEquals(List.of(), reports);
    }

    @Test
    void timesAreMillisecondsOfTheWallClock() throws IOException {
        long beforeMs = System.currentTimeMillis();
        monitor.enter("filter");
        monitor.exit("filter");
        long afterMs = System.currentTimeMillis();

        String line = lines().get(0);
        long startMs = Long.parseLong(line.substring("start[".length(), line.indexOf(']')));
        assertTrue(beforeMs <= startMs && startMs <= afterMs, line);
    }

    @Test
    void visitsOfALayerWithinEachOtherAreRecordedEach() throws IOException {
        monitor.enter("hibernate.load");
        monitor.enter("hibernate.load");
        monitor.context("hibernate.load", "which", "inner");
        monitor.exit("hibernate.load");
        monitor.exit("hibernate.load");

        assertEquals(List.of("tag[hibernate.load] message[which=inner]", "tag[hibernate.load]"), withoutTimes());
        assertEquals(List.of(), reports);
    }

    @Test
    void threadsShareTheFileAndNothingElse() throws Exception {
        monitor.enter("filter");
        Thread other = new Thread(() -> {
            monitor.exit("filter");
            monitor.enter("soap");
            monitor.exit("soap");
        });
        other.start();
        other.join();
        monitor.exit("filter");

        assertEquals(List.of("tag[soap]", "tag[filter]"), withoutTimes());
        assertEquals(List.of("monitor: exit without enter: filter (reported once)"), reports);
    }

    @Test
    void keepsOutOfTheFunctionalLogAndOfItsLevel() throws IOException {
        monitor.enter("filter");
        monitor.exit("filter");
        Logger.getRootLogger().setLevel(Level.TRACE);
        monitor.enter("filter");
        monitor.exit("filter");

        assertEquals(2, lines().size());
        assertEquals("", functionalLog.toString());
    }

    @Test
    void leavesTheLibrarysLoggerAsItWas() throws IOException {
        monitor.close();

        assertFalse(LIBRARY.getAllAppenders().hasMoreElements());
        assertTrue(LIBRARY.getAdditivity());
        assertEquals(null, LIBRARY.getLevel());
        monitor = new Perf4JMonitor(Files.createDirectory(folder.resolve("next")), reports::add);
        monitor.enter("filter");
        monitor.exit("filter");
        assertEquals("", Files.readString(folder.resolve("perf4j.log")));
        assertEquals(1, Files.readAllLines(folder.resolve("next/perf4j.log")).size());
    }

    @Test
    void neverMixesTheRecordsOfTwoRuns() {
        assertThrows(FileAlreadyExistsException.class, () -> new Perf4JMonitor(folder));
        assertThrows(FileAlreadyExistsException.class, () -> new LayerMonitor(folder));
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(folder.resolve("perf4j.log"));
    }

    private List<String> withoutTimes() throws IOException {
        return lines().stream().map(line -> line.replaceFirst("^start\\[\\d{13}] time\\[\\d+] ", "")).toList();
    }
}
