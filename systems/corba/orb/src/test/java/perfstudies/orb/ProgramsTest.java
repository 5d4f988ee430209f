package perfstudies.orb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both programs as processes of their own, as the lab has them. */
@Timeout(120)
class ProgramsTest {

    private static final Class<?> SERVER = perfstudies.orb.server.Main.class;
    private static final Class<?> CLIENT = perfstudies.orb.client.Main.class;
    private static final int REQUESTS = 40;
    /** Nearly as much as two dispatchers can do, so that some wait. */
    private static final int DEMAND_US = 2000;
    /** So much that a request is answered before the next one comes. */
    private static final int APART_US = 20_000;
    private static final int NUMBER = 0;
    private static final int RECEIVED = 1;
    private static final int QUEUED = 2;
    private static final int RECEIVER_END = 3;
    private static final int REMOVED = 4;
    private static final int DISPATCHED = 5;
    private static final int REPLIED = 8;
    private static final int CPU = 9;
    private static final int DISPATCHER = 11;

    @TempDir
    private Path folder;

    private final List<Program> started = new ArrayList<>();

    @AfterEach
    void endAll() throws InterruptedException {
        for (Program program : started) {
            program.process.destroyForcibly().waitFor();
        }
    }

    @Test
    void everyRequestIsOnRecordAtEveryPlaceInItsOrder() throws Exception {
        Program server = server(2);
        Program client = client(server.ready(), 1);
        assertEquals("READY client", client.line());
        long startNs = System.nanoTime();
        assertEquals("DONE {\"sent\": 40, \"answered\": 40}", client.obey("GO " + startNs));
        assertEquals(0, client.end());
        String statistics = server.obey("statistics");
        assertTrue(statistics.matches("STATISTICS \\{\"receiver_cpu_us\": \\d+, \"controller_cpu_us\": \\d+, "
                + "\"dispatcher_cpu_us\": [1-9]\\d+, \"gc_count\": \\d+, \"gc_ms\": \\d+, "
                + "\"dispatchers_seen\": [12]}"), statistics);
        assertEquals("CLOSED", server.obey("close"));
        assertEquals(0, server.end());

        List<long[]> requests = record("server.csv");
        assertEquals(REQUESTS, requests.size());
        Set<Long> dispatchers = new HashSet<>();
        for (long[] request : requests) {
            for (int place = DISPATCHED; place <= REPLIED; place++) {
                assertTrue(request[place] >= request[place == DISPATCHED ? QUEUED : place - 1], name(request));
            }
            assertTrue(request[QUEUED] >= 0 && request[RECEIVER_END] >= request[QUEUED], name(request));
            assertTrue(request[REMOVED] >= request[QUEUED], name(request));
            assertTrue(request[CPU] >= TimeUnit.MICROSECONDS.toNanos(DEMAND_US), name(request));
            dispatchers.add(request[DISPATCHER]);
        }
        assertTrue(Set.of(0L, 1L).containsAll(dispatchers), dispatchers.toString());
        assertTrue(busiest(requests) <= 2);
        assertFalse(Files.readString(folder.resolve("client.csv")).contains(",TIMEOUT"));
    }

    @Test
    void oneDispatcherServesOneRequestAfterTheOther() throws Exception {
        Program server = server(1);
        Program client = client(server.ready(), 1);
        assertEquals("READY client", client.line());
        client.obey("GO " + System.nanoTime());
        assertEquals(0, client.end());
        assertEquals(0, server.end(), "the record is written at the end of its input too");
        List<long[]> requests = record("server.csv");
        assertEquals(REQUESTS, requests.size());
        assertEquals(1, busiest(requests));
    }

    @Test
    void aServerThatIsGoneIsNotAskedForEver() throws Exception {
        Program server = server(1);
        Program client = client(server.ready(), 1);
        assertEquals("READY client", client.line());
        server.process.destroyForcibly().waitFor();
        assertTrue(client.obey("GO " + System.nanoTime()).endsWith("\"answered\": 0}"));
        assertEquals(0, client.end());
    }

    @Test
    void aClientWhoseParentIsGoneEnds() throws Exception {
        Program server = server(1);
        Program client = client(server.ready(), 1);
        assertEquals("READY client", client.line());
        assertEquals(0, client.end());
    }

    @Test
    void theServerStopsCleanlyWhenToldTo() throws Exception {
        Program server = server(1);
        server.ready();
        assertEquals("UNKNOWN level debug", server.obey("level debug"));
        server.process.destroy();
        assertEquals(0, server.process.waitFor());
        assertEquals("", Files.readString(folder.resolve("serve.txt")));
    }

    @Test
    void wrongUseIsNamed() throws Exception {
        Files.writeString(folder.resolve("c"), "dispatchers=0\nqueue.max=1\nrequests=1\nrecord=x\nlooks=constant\n"
                + "receiver.demand_us=0\nwakes=last\nobjects=root\nsingle=\n");
        assertEquals(2, program(SERVER, "wrong", folder.resolve("c").toString()).process.waitFor());
        assertEquals("orb server: dispatchers = 0: must be a whole number of at least 1\n",
                Files.readString(folder.resolve("wrong.txt")));
        Files.writeString(folder.resolve("c"), "dispatchers=1\nqueue.max=1\nrequests=1\nrecord=\nlooks=constant\n"
                + "receiver.demand_us=0\nwakes=last\nobjects=root\nsingle=\n");
        assertEquals(2, program(SERVER, "nowhere", folder.resolve("c").toString()).process.waitFor());
        assertEquals("orb server: record: must be a file\n", Files.readString(folder.resolve("nowhere.txt")));
        Files.writeString(folder.resolve("c"), "dispatchers=1\nqueue.max=1\nrequests=1\nrecord=x\nlooks=constant\n"
                + "receiver.demand_us=-1\nwakes=last\nobjects=root\nsingle=\n");
        assertEquals(2, program(SERVER, "less", folder.resolve("c").toString()).process.waitFor());
        assertEquals("orb server: receiver.demand_us = -1: must be a whole number of at least 0\n",
                Files.readString(folder.resolve("less.txt")));
        Files.writeString(folder.resolve("c"), "queue=1\n");
        assertEquals(2, program(CLIENT, "unknown", folder.resolve("c").toString()).process.waitFor());
        assertTrue(Files.readString(folder.resolve("unknown.txt")).startsWith("orb client: unknown property queue;"));
    }

    @Test
    void theReceiverWorksBeforeItHandsOver() throws Exception {
        List<long[]> requests = served(server(2, 1000, "last"), 1);
        for (long[] request : requests) {
            assertTrue(request[QUEUED] >= TimeUnit.MICROSECONDS.toNanos(1000), name(request));
        }
    }

    @ParameterizedTest
    @CsvSource({"last, 1, 3", "longest, 4, 4"})
    void requestsThatComeAloneWakeOneDispatcherOrAllInTurn(String wakes, int least, int most) throws Exception {
        Program server = server(4, 0, wakes);
        Program client = client(server.ready(), 1, APART_US);
        assertEquals("READY client", client.line());
        client.obey("GO " + System.nanoTime());
        assertEquals(0, client.end());
        assertEquals(0, server.end());
        List<long[]> requests = record("server.csv");
        Set<Long> seen = new HashSet<>();
        requests.forEach(request -> seen.add(request[DISPATCHER]));
        assertTrue(seen.size() >= least && seen.size() <= most, seen.toString());
    }

    @ParameterizedTest
    @CsvSource(value = {"'' | 3", "back | 1"}, delimiter = '|')
    void anAdapterTakesOneRequestAtATimeIfItIsToldTo(String single, int most) throws Exception {
        List<long[]> requests = served(server(3, 0, "last", "front,back", single), 2);
        // Connections and objects are in turn: odd numbers are for the adapter at the back.
        List<long[]> back = requests.stream().filter(request -> request[NUMBER] % 2 == 1).toList();
        assertTrue(busiest(back) <= most, "at once in its adapter: " + busiest(back));
        for (long[] request : requests) {
            long demandUs = request[NUMBER] % 2 == 0 ? DEMAND_US : 2 * DEMAND_US;
            assertTrue(request[CPU] >= TimeUnit.MICROSECONDS.toNanos(demandUs), name(request));
            assertTrue(request[CPU] < 2 * TimeUnit.MICROSECONDS.toNanos(demandUs), name(request));
        }
    }

    private List<long[]> served(Program server, int connections) throws Exception {
        Program client = client(server.ready(), connections);
        assertEquals("READY client", client.line());
        client.obey("GO " + System.nanoTime());
        assertEquals(0, client.end());
        assertEquals(0, server.end());
        List<long[]> requests = record("server.csv");
        assertEquals(REQUESTS, requests.size());
        return requests;
    }

    private Program server(int dispatchers) throws IOException {
        return server(dispatchers, 0, "last");
    }

    private Program server(int dispatchers, int receiverUs, String wakes) throws IOException {
        return server(dispatchers, receiverUs, wakes, "root", "");
    }

    private Program server(int dispatchers, int receiverUs, String wakes, String objects, String single)
            throws IOException {
        Path configuration = Files.writeString(folder.resolve("serve.properties"), "dispatchers=" + dispatchers
                + "\nqueue.max=1000\nrequests=" + REQUESTS + "\nrecord=" + folder.resolve("server.csv")
                + "\nlooks=constant\nreceiver.demand_us=" + receiverUs + "\nwakes=" + wakes
                + "\nobjects=" + objects + "\nsingle=" + single + "\n");
        return program(SERVER, "serve", configuration.toString());
    }

    private Program client(String reference, int connections) throws IOException {
        return client(reference, connections, DEMAND_US);
    }

    private Program client(String reference, int connections, int gapUs) throws IOException {
        StringBuilder arrivals = new StringBuilder("due_ns,connection\n");
        for (int number = 0; number < REQUESTS; number++) {
            arrivals.append(number * TimeUnit.MICROSECONDS.toNanos(gapUs)).append(',')
                    .append(number % connections).append('\n');
        }
        Files.writeString(folder.resolve("arrivals.csv"), arrivals);
        Path configuration = Files.writeString(folder.resolve("send.properties"), "server=" + reference
                + "\nconnections=" + connections + "\nthreads=" + REQUESTS + "\narrivals="
                + folder.resolve("arrivals.csv") + "\nrecord=" + folder.resolve("client.csv") + "\ndemand_us="
                + (connections == 1 ? "" + DEMAND_US : DEMAND_US + "," + 2 * DEMAND_US) + "\ntimeout_ms=30000\nwarm_up.requests=20\nwarm_up.demand_us=100\nwarm_up.threads=2\n");
        return program(CLIENT, "send", configuration.toString());
    }

    private List<long[]> record(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name)).stream().skip(1)
                .map(line -> Arrays.stream(line.split(",", -1)).mapToLong(Long::parseLong).toArray()).toList();
    }

    /** How many requests were with a dispatcher at the same time, at most. */
    private static long busiest(List<long[]> requests) {
        return requests.stream().mapToLong(one -> requests.stream()
                .filter(other -> other[RECEIVED] + other[DISPATCHED] <= one[RECEIVED] + one[DISPATCHED]
                        && one[RECEIVED] + one[DISPATCHED] < other[RECEIVED] + other[REPLIED]).count()).max().orElse(0);
    }

    private static String name(long[] request) {
        return "request " + request[NUMBER] + ": " + Arrays.toString(request);
    }

    private Program program(Class<?> main, String name, String configuration) throws IOException {
        Path errors = folder.resolve(name + ".txt");
        Program program = new Program(new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1", main.getName(), "serve",
                "--config", configuration).redirectError(errors.toFile()).start());
        started.add(program);
        return program;
    }

    private static final class Program {

        private final Process process;
        private final BufferedReader output;
        private final BufferedWriter input;

        Program(Process process) {
            this.process = process;
            output = process.inputReader();
            input = process.outputWriter();
        }

        String line() throws IOException {
            return output.readLine();
        }

        String ready() throws IOException {
            String line = line();
            assertTrue(line.startsWith("READY IOR:"), line);
            return line.substring("READY ".length());
        }

        String obey(String command) throws IOException {
            input.write(command + "\n");
            input.flush();
            return line();
        }

        int end() throws IOException, InterruptedException {
            input.close();
            return process.waitFor();
        }
    }
}
