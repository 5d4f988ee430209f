package perfstudies.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventMonitorTest {

    @TempDir
    Path folder;

    private final List<String> reports = new ArrayList<>();
    private long nowNs;
    private EventMonitor monitor;

    @BeforeEach
    void startMonitor() throws IOException {
        monitor = new EventMonitor(folder, () -> nowNs, reports::add);
    }

    @Test
    void writesALineAtOnceForEveryExit() throws IOException {
        at(100).enter("filter");
        monitor.context("filter", "arrived_ns", "99");
        at(110).enter("soap");
        monitor.context("soap", "name", "searchFlights");
        at(200).enter("hibernate.load");
        at(230).exit("hibernate.load");
        assertEquals("tag[hibernate.load] start[200] elapsed[30] context[]\n", log(), "before the request is over");
        at(240).enter("hibernate.load");
        at(241).exit("hibernate.load");
        monitor.context("soap", "outcome", "a,b");
        at(250).exit("soap");
        at(300).exit("filter");

        assertEquals("""
                tag[hibernate.load] start[200] elapsed[30] context[]
                tag[hibernate.load] start[240] elapsed[1] context[]
                tag[soap] start[110] elapsed[140] context[name=searchFlights,outcome=a%2Cb]
                tag[filter] start[100] elapsed[200] context[arrived_ns=99]
                """, log());
        assertEquals(List.of(), reports);
    }

    @Test
    void visitsOfALayerWithinEachOtherAreRecordedEach() throws IOException {
        at(0).enter("filter");
        at(10).enter("hibernate.load");
        at(20).enter("hibernate.load");
        monitor.context("hibernate.load", "which", "inner");
        at(30).exit("hibernate.load");
        at(50).exit("hibernate.load");
        at(60).exit("filter");

        assertEquals("""
                tag[hibernate.load] start[20] elapsed[10] context[which=inner]
                tag[hibernate.load] start[10] elapsed[40] context[]
                tag[filter] start[0] elapsed[60] context[]
                """, log());
    }

    @Test
    void aRequestMayReenterTheLayerThatOpenedIt() throws IOException {
        at(0).enter("filter");
        at(1).enter("soap");
        at(2).enter("filter");
        at(3).exit("filter");
        at(4).exit("soap");
        at(5).exit("filter");

        assertEquals(3, log().lines().count());
        assertEquals(List.of(), reports);
    }

    @Test
    void wrongUseIsReportedOnceAndChangesNothing() throws IOException {
        monitor.exit("soap");
        monitor.context("soap", "name", "a");
        at(0).enter("filter");
        monitor.exit("soap");
        at(4).exit("filter");

        assertEquals("tag[filter] start[0] elapsed[4] context[]\n", log());
        assertEquals(List.of("monitor: exit without enter: soap (reported once)",
                "monitor: context outside its layer: soap (reported once)"), reports);
    }

    @Test
    void aVisitThatLostItsExitIsNoPartOfTheNextRequest() throws IOException {
        at(0).enter("filter");
        at(1).enter("hibernate.load");
        at(2).exit("filter");
        at(10).enter("filter");
        at(11).enter("hibernate.load");
        at(12).exit("hibernate.load");
        at(13).exit("hibernate.load");
        at(14).exit("filter");

        assertEquals(List.of("monitor: enter without exit: hibernate.load (reported once)",
                "monitor: exit without enter: hibernate.load (reported once)"), reports);
        assertEquals("""
                tag[filter] start[0] elapsed[2] context[]
                tag[hibernate.load] start[11] elapsed[1] context[]
                tag[filter] start[10] elapsed[4] context[]
                """, log());
    }

    @Test
    void everyThreadHasItsOwnFile() throws Exception {
        Thread other = new Thread(() -> {
            monitor.enter("filter");
            monitor.exit("filter");
        });
        monitor.enter("filter");
        other.start();
        other.join();

        assertEquals("tag[filter] start[0] elapsed[0] context[]\n", log(other));
        assertFalse(Files.exists(file(Thread.currentThread())), "this one's request is not over");
    }

    @Test
    void neverMixesTheRecordsOfTwoRuns() {
        monitor.enter("filter");
        monitor.exit("filter");
        monitor.close();

        assertThrows(FileAlreadyExistsException.class, () -> new EventMonitor(folder));
        assertThrows(FileAlreadyExistsException.class, () -> new Perf4JMonitor(folder));
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

    private EventMonitor at(long momentNs) {
        nowNs = momentNs;
        return monitor;
    }

    private String log() throws IOException {
        return log(Thread.currentThread());
    }

    private String log(Thread thread) throws IOException {
        return Files.readString(file(thread));
    }

    private Path file(Thread thread) {
        return folder.resolve("monitor-" + thread.getId() + ".log");
    }
}
