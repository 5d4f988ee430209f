package perfstudies.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayerMonitorTest {

    @TempDir
    Path folder;

    private final List<String> reports = new ArrayList<>();
    private long nowNs;
    private LayerMonitor monitor;

    @BeforeEach
    void startMonitor() throws IOException {
        monitor = new LayerMonitor(folder, () -> nowNs, reports::add);
    }

    @Test
    void writesTheFormatOfTheStudyByteForByte() throws IOException {
        at(100).enter("filter");
        at(110).enter("soap");
        monitor.context("soap", "name", "searchFlights");
        monitor.context("soap", "request_logical_length", "204");
        at(200).enter("hibernate");
        at(230).exit("hibernate");
        at(250).exit("soap");
        assertEquals("", log(), "nothing is written before the last timestamp");
        at(300).exit("filter");

        assertEquals("""
                tag[filter] accTime[200ns] context[]
                tag[hibernate] accTime[30ns] context[]
                tag[soap] accTime[140ns] context[name=searchFlights,request_logical_length=204]

                """, log());
        assertEquals(List.of(), reports);
    }

    @Test
    void countsNestedEntersOfALayerOnce() throws IOException {
        at(0).enter("filter");
        at(10).enter("hibernate");
        at(20).enter("hibernate");
        at(30).enter("hibernate");
        at(40).exit("hibernate");
        at(50).exit("hibernate");
        at(60).exit("hibernate");
        at(70).exit("filter");

        assertEquals(50, time("hibernate"));
        assertEquals(70, time("filter"));
    }

    @Test
    void addsUpSeparateVisitsOfALayer() throws IOException {
        at(0).enter("filter");
        at(10).enter("hibernate");
        at(15).exit("hibernate");
        at(20).enter("hibernate");
        at(27).exit("hibernate");
        at(30).exit("filter");

        assertEquals(12, time("hibernate"));
    }

    @Test
    void keepsTwoNestedLayersApart() throws IOException {
        at(0).enter("filter");
        at(1).enter("hibernate");
        at(2).enter("hibernate.load");
        at(5).exit("hibernate.load");
        at(9).exit("hibernate");
        at(10).exit("filter");

        assertEquals(3, time("hibernate.load"));
        assertEquals(8, time("hibernate"));
    }

    @Test
    void aRequestMayReenterTheLayerThatOpenedIt() throws IOException {
        at(0).enter("filter");
        at(1).enter("filter");
        at(2).exit("filter");
        assertEquals("", log());
        at(5).exit("filter");

        assertEquals("tag[filter] accTime[5ns] context[]\n\n", log());
    }

    @Test
    void startsEveryRequestFromNothing() throws IOException {
        at(0).enter("filter");
        at(1).enter("soap");
        monitor.context("soap", "name", "a");
        at(2).exit("soap");
        at(3).exit("filter");
        at(10).enter("filter");
        at(14).exit("filter");

        assertTrue(log().endsWith("\n\ntag[filter] accTime[4ns] context[]\n\n"), log());
    }

    @Test
    void encodesWhatWouldBreakTheLine() throws IOException {
        at(0).enter("filter");
        monitor.context("filter", "k=[1],", "100%\r\n\u0085 S\u00e3o \ud83d\ude00 \ud800");
        at(1).exit("filter");

        assertEquals("tag[filter] accTime[1ns] "
                + "context[k%3D%5B1%5D%2C=100%25%0D%0A%C2%85 S\u00e3o \ud83d\ude00 ?]\n\n", log());
    }

    @Test
    void anExitWithoutEnterIsReportedOnceAndChangesNothing() throws IOException {
        monitor.exit("soap");
        at(0).enter("filter");
        monitor.exit("soap");
        at(1).enter("soap");
        at(3).exit("soap");
        monitor.exit("soap");
        at(4).exit("filter");

        assertEquals(2, time("soap"));
        assertEquals(4, time("filter"));
        assertEquals(List.of("monitor: exit without enter: soap (reported once)"), reports);
    }

    @Test
    void aLayerLeftOpenIsClosedWithTheOneAroundIt() throws IOException {
        at(0).enter("filter");
        at(1).enter("si");
        at(2).enter("hibernate");
        at(3).enter("hibernate");
        at(4).exit("hibernate");
        at(7).exit("si");
        at(9).exit("filter");

        assertEquals(5, time("hibernate"), "ends with si, not later");
        assertEquals(6, time("si"));
        assertEquals(List.of("monitor: enter without exit: hibernate (reported once)"), reports);

        at(20).enter("filter");
        at(21).enter("hibernate");
        at(22).exit("hibernate");
        at(23).exit("filter");
        assertTrue(log().endsWith("tag[filter] accTime[3ns] context[]\ntag[hibernate] accTime[1ns] context[]\n\n"));
    }

    @Test
    void contextOutsideARequestIsReported() {
        monitor.context("soap", "name", "a");

        assertEquals(List.of("monitor: context outside a request: soap (reported once)"), reports);
    }

    @Test
    void everyThreadHasItsOwnFile() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(new Thread(() -> {
                for (int request = 0; request < 100; request++) {
                    monitor.enter("filter");
                    monitor.enter("soap");
                    monitor.exit("soap");
                    monitor.exit("filter");
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        String record = "tag[filter] accTime[0ns] context[]\ntag[soap] accTime[0ns] context[]\n\n";
        for (Thread thread : threads) {
            Path file = folder.resolve("monitor-" + thread.getId() + ".log");
            assertEquals(record.repeat(100), Files.readString(file));
        }
    }

    @Test
    void neverMixesTheRecordsOfTwoRuns() {
        monitor.enter("filter");
        monitor.exit("filter");
        monitor.close();

        assertThrows(FileAlreadyExistsException.class, () -> new LayerMonitor(folder));
    }

    @Test
    void aLostRecordIsReportedAndTheRequestGoesOn() {
        monitor.enter("filter");
        monitor.exit("filter");
        monitor.close();
        monitor.enter("filter");
        monitor.exit("filter");

        assertEquals(1, reports.size());
        assertTrue(reports.get(0).startsWith("monitor: record lost"), reports.get(0));
    }

    @Test
    void offWritesNothingAndAcceptsEverything() throws IOException {
        Monitor.OFF.exit("soap");
        Monitor.OFF.enter("filter");
        Monitor.OFF.context("filter", "k", "v");
        Monitor.OFF.exit("filter");
        Monitor.OFF.close();

        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }

    private LayerMonitor at(long momentNs) {
        nowNs = momentNs;
        return monitor;
    }

    private long time(String tag) throws IOException {
        String start = "tag[" + tag + "] accTime[";
        String line = log().lines().filter(l -> l.startsWith(start)).findFirst().orElseThrow();
        return Long.parseLong(line.substring(start.length(), line.indexOf("ns]")));
    }

    private String log() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(LayerMonitorTest::read).collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
