package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.view.FlightView;
import perfstudies.flight.ws.contract.FlightPortType;
import perfstudies.flight.ws.contract.FlightService;
import perfstudies.launch.Launcher;

/** Many deployments after each other in one process, each on a database of its own. */
class CommandsTest {

    @TempDir
    Path folder;

    private final Commands commands = new Commands();

    @BeforeEach
    void makeDatabases() {
        List.of("a", "b").forEach(this::makeDatabase);
    }

    @AfterEach
    void close() throws Exception {
        commands.stop();
        FunctionalLog.setLevel(Level.OFF);
    }

    @Test
    void oneServiceComesAfterTheOther() throws Exception {
        FlightPortType first = port(obey("deploy " + configuration("a", "")));
        assertEquals("BA1-1", first.createSingleReservation("BA1", TestDomain.passenger("Ana")).getCode());
        FlightPortType second = port(obey("deploy " + configuration("b", "")));
        assertEquals("BA1-1", second.createSingleReservation("BA1", TestDomain.passenger("Ana")).getCode(), "b is new");

        assertEquals("CLOSED", obey("close"));
        assertEquals("CLOSED", obey("close"), "nothing to close");
        assertEquals(1, passengers("a"));
        assertEquals(1, passengers("b"));
    }

    @Test
    void everyDeploymentHasItsOwnLogs() throws Exception {
        for (String name : List.of("a", "b")) {
            port(obey("deploy " + configuration(name, ""))).searchFlights("Lisbon", "Faro");
        }
        obey("close");

        for (String name : List.of("a", "b")) {
            List<String> lines = Files.readAllLines(folder.resolve(name + ".log"));
            assertEquals(1, lines.stream().filter(line -> line.endsWith("Flight Web Service ends")).count());
            assertEquals(1, lines.stream().filter(line -> line.contains("Web Service at http")).count());
            try (Stream<Path> records = Files.list(folder.resolve(name + ".monitor"))) {
                assertEquals(1, records.count());
            }
        }
    }

    /** H2 and Tomcat each leave something behind once in many times; what is left at every time would fill a machine. */
    @Test
    void servicesLeaveNothingBehindThatGrowsWithThem() throws Exception {
        List<String> services = List.of("c", "d", "e", "f", "g");
        services.forEach(this::makeDatabase);
        deployAndClose("a");
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        Set<Path> temporary = temporary();
        for (String service : services) {
            deployAndClose(service);
        }

        Set<Thread> leftThreads = new HashSet<>(Thread.getAllStackTraces().keySet());
        leftThreads.removeAll(threads);
        for (Thread thread : leftThreads) {
            thread.join(5_000);
        }
        leftThreads.removeIf(thread -> !thread.isAlive());
        assertTrue(leftThreads.size() < services.size(), leftThreads::toString);
        Set<Path> leftFiles = temporary();
        leftFiles.removeAll(temporary);
        assertTrue(leftFiles.size() < services.size(), leftFiles::toString);
    }

    @Test
    void aFailedDeploymentClosesTheOldServiceAndIsNotTheEnd() throws Exception {
        obey("deploy " + configuration("a", ""));
        assertEquals("FAILED log.level = loud: must be one of off, fatal, error, warn, info, debug, trace",
                obey("deploy " + configuration("b", "log.level=loud\n")));
        assertEquals(0, passengers("a"), "a's file is free");

        assertTrue(obey("deploy " + folder.resolve("none")).startsWith("FAILED cannot read "));
        assertTrue(obey("deploy \0").startsWith("FAILED "));
        port(obey("deploy " + configuration("b", ""))).searchFlights("Lisbon", "Faro");
    }

    @Test
    void aServiceThatFailsHalfwayIsTakenDown() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            String answer = obey("deploy " + configuration("a", "port=" + taken.getLocalPort() + "\n"));
            assertTrue(answer.startsWith("FAILED java.io.IOException: the server cannot listen on port"), answer);
        }
        assertEquals(0, passengers("a"), "a's file is free");
        assertTrue(obey("deploy " + configuration("a", "monitor=none\n")).startsWith("READY "));
    }

    @Test
    void answersWhatItDoesNotKnow() throws Exception {
        assertEquals("UNKNOWN deploy", obey("deploy"));
        assertEquals("UNKNOWN close now", obey("close now"));
        assertEquals("UNKNOWN level loud", obey("level loud"));
        assertEquals("UNKNOWN ", obey(""));
        assertEquals("LEVEL warn", obey("level warn"));
    }

    @Test
    void countsSinceTheLastTimeItWasAsked() throws Exception {
        assertEquals("FAILED no service is deployed", obey("statistics"));
        FlightPortType port = port(obey("deploy " + configuration("a", "statistics=true\n")));
        port.searchFlights("Lisbon", "Faro");
        port.searchFlights("Lisbon", "Faro");

        // the root and its flights, with airports and airplane
        assertEquals("STATISTICS {\"prepared_statements\": 4, \"second_level_hits\": 0, \"second_level_misses\": 0, "
                + "\"second_level_puts\": 0, \"entities_loaded\": 16, \"collections_loaded\": 2, "
                + "\"optimistic_failures\": 0, \"transactions\": 2, \"retries\": 0, \"flushes\": 2}",
                obey("statistics"));
        assertTrue(obey("statistics").contains("\"transactions\": 0,"));
        obey("deploy " + configuration("b", ""));
        assertEquals("FAILED property statistics is false", obey("statistics"));
    }

    @ParameterizedTest
    @CsvSource({"auto,1,1", "manual-when-read-only,0,1"})
    void aReadNeedNotLookForChanges(String flush, int read, int written) throws Exception {
        FlightPortType port = port(obey("deploy " + configuration("a", "statistics=true\nflush=" + flush + "\n")));
        port.searchFlights("Lisbon", "Faro");
        assertEquals(read, flushes());
        port.createSingleReservation("BA1", TestDomain.passenger("Ana"));
        assertEquals(written, flushes());
    }

    @Test
    void theDomainAndTheCacheAreThoseOfTheSettings() throws Exception {
        FlightPortType port = port(obey("deploy " + configuration("a", "statistics=true\ncache=read-write\n")));
        port.searchFlights("Lisbon", "Faro");
        port.searchFlights("Lisbon", "Faro");
        assertTrue(obey("statistics").contains("\"second_level_hits\": 8,"));

        port = port(obey("deploy " + configuration("b",
                "statistics=true\ndomain.root=false\nreservation.numbers=random\ncache=read-write\n")));
        assertTrue(port.createSingleReservation("BA1", TestDomain.passenger("Ana")).getCode().length() > 36);
        assertEquals(List.of("BA3", "BA2", "BA1"),
                port.searchFlights("Lisbon", "Faro").stream().map(FlightView::getNumber).toList());
        assertTrue(obey("statistics").contains("\"second_level_hits\": 0,"), "and no cache of a's");
    }

    /** How often Hibernate looked for changes since the last time. */
    private int flushes() throws IOException {
        Matcher flushes = Pattern.compile("\"flushes\": (\\d+)").matcher(obey("statistics"));
        assertTrue(flushes.find());
        return Integer.parseInt(flushes.group(1));
    }

    private void makeDatabase(String name) {
        TestDomain.fill(new Database("jdbc:h2:file:" + folder.resolve(name), "sa", "", 1));
    }

    private void deployAndClose(String name) throws Exception {
        port(obey("deploy " + configuration(name, "cache=read-write\n"))).searchFlights("Lisbon", "Faro");
        assertEquals("CLOSED", obey("close"));
    }

    /** The answer to one command. */
    private String obey(String command) {
        String answer = Launcher.answer(commands, command);
        assertFalse(answer.contains("\n"), answer);
        return answer;
    }

    /** A configuration as the lab writes it: the database stays open between connections. */
    private Path configuration(String name, String more) throws IOException {
        return Configuration.write(folder.resolve(name + ".properties"), "database.url=" + url(name)
                + ";DB_CLOSE_DELAY=-1", "log.file=" + folder.resolve(name + ".log"), "monitor=layer",
                "monitor.dir=" + folder.resolve(name + ".monitor"), more);
    }

    private String url(String name) {
        return "jdbc:h2:file:" + folder.resolve(name);
    }

    /** Fails if the service still has the file, which H2 itself would share within one process. */
    private int passengers(String name) throws Exception {
        try (FileChannel file = FileChannel.open(folder.resolve(name + Expected.DATABASE_SUFFIX), StandardOpenOption.WRITE)) {
            file.lock().release();
        }
        try (var connection = DriverManager.getConnection(url(name), "sa", "");
                var rows = connection.createStatement().executeQuery("select count(*) from Passenger")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static FlightPortType port(String ready) throws IOException {
        assertTrue(ready.startsWith("READY "), ready);
        return new FlightService(URI.create(ready.split(" ")[1] + "?wsdl").toURL(), TestDomain.SERVICE)
                .getFlightPort();
    }

    private static Set<Path> temporary() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return new HashSet<>(files.filter(file -> file.getFileName().toString().startsWith("flight-ws")).toList());
        }
    }
}
