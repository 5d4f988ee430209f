package perfstudies.aaa.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogsTest {

    @TempDir
    private Path folder;

    @Test
    void linesAreInTheFileSoonAfterTheyAreWritten() throws Exception {
        Path file = folder.resolve("a.csv");
        CsvLog log = new CsvLog(file, "x,y");
        try (Logs logs = new Logs(log)) {
            log.line(1, "a");
            long endNs = System.nanoTime() + 60_000_000_000L;
            while (Files.readAllLines(file).size() < 2 && System.nanoTime() < endNs) {
                Thread.sleep(20);
            }
            assertEquals(List.of("x,y", "1,a"), Files.readAllLines(file));
        }
    }

    @Test
    void closingWritesWhatIsLeftAndLaterLinesAreDropped() throws Exception {
        Path file = folder.resolve("a.csv");
        CsvLog log = new CsvLog(file, "x");
        Logs logs = new Logs(log);
        log.line(1);
        logs.close();
        log.line(2);
        assertEquals(List.of("x", "1"), Files.readAllLines(file));
    }

    @Test
    void aFileThatIsThereGoesOn() throws Exception {
        Path file = folder.resolve("a.csv");
        for (int i = 0; i < 2; i++) {
            try (CsvLog log = new CsvLog(file, "x")) {
                log.line(i);
            }
        }
        assertEquals(List.of("x", "0", "1"), Files.readAllLines(file));
    }

    @Test
    void aTextStaysOneCell() {
        assertEquals("plain", CsvLog.cell("plain"));
        assertEquals("\"a,\"\"b\"\" c\"", CsvLog.cell("a,\"b\"\nc"));
    }

    @Test
    void theRecordHasAValueForEachColumn() {
        RequestRecord record = new RequestRecord(3, "2/17", 5);
        assertEquals(RequestRecord.HEADER.split(",").length, record.values("ok").length);
        assertEquals("3,2,17," + record.enteredUs() + ",,,,,", line(record).replaceFirst("[0-9]+,,,,5,,ok$", ""));
        assertTrue(Double.isNaN(record.ejbMs()));
    }

    @Test
    void timesAreMicrosecondsSinceItEntered() throws Exception {
        RequestRecord record = new RequestRecord(0, "0/0", 1);
        Thread.sleep(5);
        record.ejbStarts();
        Thread.sleep(5);
        record.moduleStarts(4, true, 2);
        Thread.sleep(5);
        record.moduleEnds();
        record.ejbEnds();
        record.addDatabase(1_500_000);
        record.addDatabase(500_000);
        Object[] values = record.values("ok");
        long ejbStart = (Long) values[4];
        long moduleStart = (Long) values[5];
        long moduleEnd = (Long) values[6];
        long ejbEnd = (Long) values[7];
        long left = (Long) values[8];
        assertTrue(ejbStart >= 5_000 && moduleStart >= ejbStart + 5_000 && moduleEnd >= moduleStart + 5_000
                && ejbEnd >= moduleEnd && left >= ejbEnd && left < 10_000_000, line(record));
        assertEquals((ejbEnd - ejbStart) / 1e3, record.ejbMs(), 0.0011);
        assertEquals(List.of("4", "1", "2", 1, 2_000L, "ok"), List.of(values).subList(9, 15));
    }

    @ParameterizedTest
    @ValueSource(strings = {"17", "a/b", "a,b/1", "/1", "a/1\n2", "a/1/2"})
    void aNameThatIsNoNameIsLeftOut(String name) {
        RequestRecord record = new RequestRecord(0, name, 1);
        assertEquals("", record.client() + record.number());
    }

    @Test
    void theMostAtOnceIsAskedSinceTheLastTime() {
        Gauge gauge = new Gauge();
        assertEquals(1, gauge.enter());
        assertEquals(2, gauge.enter());
        gauge.leave();
        assertEquals(2, gauge.takeMost());
        assertEquals(1, gauge.takeMost());
        gauge.leave();
        gauge.takeMost();
        assertEquals(0, gauge.takeMost());
    }

    private static String line(RequestRecord record) {
        StringBuilder line = new StringBuilder();
        for (Object value : record.values("ok")) {
            line.append(line.isEmpty() ? "" : ",").append(value);
        }
        return line.toString();
    }
}
