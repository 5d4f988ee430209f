package perfstudies.esb.axis2client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallsTest {

    private static final Logger LOG = Logger.getLogger("");
    private static final int PATIENCE_MS = 100;

    @TempDir
    private Path folder;

    @BeforeAll
    static void keepQuiet() {
        // Calls fail on purpose here.
        LOG.setLevel(Level.OFF);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void twoConnectionsAreTheDefaultAndLetTwoCallsRun(int connections) throws Exception {
        try (EchoStub server = new EchoStub(2)) {
            // All are answered only if two arrive together.
            List<String[]> log = call(server, 12, 6, connections, Release.CLEANUP, false);
            assertEquals(2, server.mostAtOnce());
            assertEquals(12, count(log, "ok"));
        }
    }

    @Test
    void moreConnectionsLetMoreCallsRun() throws Exception {
        try (EchoStub server = new EchoStub(6)) {
            assertEquals(12, count(call(server, 12, 6, 20, Release.CLEANUP, false), "ok"));
            assertEquals(6, server.mostAtOnce());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLEANUP", "OPTION"})
    void aConnectionThatIsGivenBackServesTheNextClient(Release release) throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            assertEquals(4, count(call(server, 4, 1, 0, release, true), "ok"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "NONE"})
    void withoutCleanUpTheThirdClientFindsNoConnection(Release release) throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            List<String[]> log = call(server, 4, 1, 0, release, true);
            assertEquals(List.of("ok", "ok", "no connection", "no connection"),
                    log.stream().map(row -> row[5]).collect(Collectors.toList()));
            assertEquals("0", log.get(2)[3]);
            assertTrue(nanos(log.get(2), 4) - nanos(log.get(2), 2) >= PATIENCE_MS * 1_000_000L);
        }
    }

    @Test
    void aClientGivesItsLastConnectionBackBeforeItsNextCall() throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            assertEquals(4, count(call(server, 4, 1, 0, Release.NONE, false), "ok"));
        }
    }

    @Test
    void aClientThatIsToldNotToKeepsItsConnections() throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            assertEquals(2, count(call(server, 4, 1, 0, Release.NEVER, false), "ok"));
        }
    }

    @Test
    void automaticReleaseGivesTheConnectionBackAndLosesTheAnswer() throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            List<String[]> log = call(server, 4, 1, 0, Release.AUTO, true);
            assertEquals(4, count(log, "lost"));
            assertTrue(log.stream().allMatch(row -> nanos(row, 3) > 0));
        }
    }

    @Test
    void whatAxis2MakesItselfIsOneClientWithTwoConnections() throws Exception {
        try (EchoStub server = new EchoStub(2)) {
            Path record = folder.resolve("own.csv");
            try (Calls made = new Calls(new Plan(server.address(), 12, 6, true, 0, Release.CLEANUP, false, 2, 10, 0,
                    record))) {
                made.make();
                assertEquals(2, made.opened());
                assertEquals(0, made.connections());
            }
            assertEquals(2, server.mostAtOnce());
            assertEquals(12, Files.readAllLines(record).stream().filter(line -> line.contains(",0,")).count());
        }
    }

    @Test
    void timesAreInOrderAndEachCallIsLoggedOnce() throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            List<String[]> log = call(server, 20, 4, 2, Release.CLEANUP, false);
            assertEquals(20, log.stream().map(row -> row[0]).distinct().count());
            for (String[] row : log) {
                assertTrue(nanos(row, 2) <= nanos(row, 3) && nanos(row, 3) <= nanos(row, 4), String.join(",", row));
            }
        }
    }

    @Test
    void theAnswerToAnotherCallIsNoAnswer() throws Exception {
        try (EchoStub server = new EchoStub(1)) {
            server.answerAlways("<m:echoResponse xmlns:m=\"http://perfstudies/esb\"><m:order><m:volume>7</m:volume>"
                    + "</m:order></m:echoResponse>");
            List<String[]> log = call(server, 1, 1, 2, Release.CLEANUP, false);
            assertEquals("no answer", log.get(0)[5]);
            assertTrue(log.get(0)[6].contains("the answer to call 7"), log.get(0)[6]);
        }
    }

    private List<String[]> call(EchoStub server, int calls, int threads, int connections, Release release,
            boolean newClients) throws Exception {
        Path record = folder.resolve("calls.csv");
        try (Calls made = new Calls(new Plan(server.address(), calls, threads, false, connections, release, newClients, 2,
                10, PATIENCE_MS * (threads > 1 ? 100 : 1), record))) {
            made.make();
        }
        return Files.readAllLines(record).stream().skip(1).map(line -> line.split(",", 7)).collect(Collectors.toList());
    }

    private static long count(List<String[]> log, String outcome) {
        return log.stream().filter(row -> row[5].equals(outcome)).count();
    }

    private static long nanos(String[] row, int column) {
        return Long.parseLong(row[column]);
    }
}
