package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.handler.MessageContext;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.view.PassengerView;
import perfstudies.flight.ws.contract.FlightFault;
import perfstudies.flight.ws.contract.FlightPortType;
import perfstudies.flight.ws.contract.FlightService;
import perfstudies.launch.UsageException;
import perfstudies.monitor.Monitor;

/** The service as its settings put it together: what it writes under each of them. */
class ServeTest {

    @TempDir
    Path folder;

    private final String name = "serve-" + UUID.randomUUID();
    /** Keeps the database, which is in memory, from the start of a test to its end. */
    private Persistence database;

    @BeforeEach
    void populate() {
        database = TestDomain.open(name, Monitor.OFF, Persistence.Monitoring.NONE);
    }

    @AfterEach
    void close() {
        database.close();
        FunctionalLog.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"event", "perf4j"})
    void recordsEveryInterceptionByItself(String monitor) throws Exception {
        try (Serve service = serve("monitor=" + monitor)) {
            FlightPortType port = port(service, null);
            port.searchFlights("Lisbon", "Faro");
            port.createMultipleReservations("BA1", List.of(passenger("Ana"), passenger("Rui")));
            assertThrows(FlightFault.class, () -> port.createSingleReservation("BA1x", passenger("Ana")));
        }

        List<String> lines = records();
        // The root, four flights, two airports and one airplane, and nothing else is loaded, by any of the three.
        assertEquals(3 * 8, lines.stream().filter(line -> line.contains("tag[hibernate.load]")).count());
        // Two passengers and two reservations, and the versions of the root and of the flight.
        assertEquals(6, lines.stream().filter(line -> line.contains("tag[hibernate.write]")).count());
        for (String layer : List.of("filter", "soap", "wsi", "si")) {
            assertEquals(3, lines.stream().filter(line -> line.contains("tag[" + layer + "]")).count(), layer);
        }
        assertEquals(3 * 8 + 6 + 3 * 4, lines.size(), "none of Hibernate as a whole");
        assertTrue(lines.get(lines.size() - 1).matches(".*tag\\[filter].*\\[arrived_ns=\\d+]"), "ends the request");
        assertEquals(1, lines.stream().filter(line -> line.matches(
                ".*tag\\[soap].*\\[name=searchFlights,request_logical_length=\\d+,"
                + "response_logical_length=\\d+,outcome=ok]")).count());
        assertEquals(1, lines.stream().filter(line -> line.contains(
                "outcome=application exception]")).count());
    }

    @Test
    void neitherMonitorTakesAFolderWithRecords() throws Exception {
        Files.createDirectories(folder.resolve("monitor"));
        Files.writeString(folder.resolve("monitor/perf4j.log"), "");

        for (String monitor : List.of("layer", "event", "perf4j")) {
            String refusal = assertThrows(UsageException.class, () -> serve("monitor=" + monitor)).getMessage();
            assertTrue(refusal.startsWith("property monitor.dir: "), refusal);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void logsTheDetailsOfOneUser(String async) throws Exception {
        try (Serve service = serve("log.level=debug", "log.user=ana@example.org", "log.async=" + async)) {
            port(service, null).searchFlights("Lisbon", "Faro");
            port(service, "rui@example.org").searchFlights("Lisbon", "Faro");
            assertFalse(log().contains("DEBUG"), log());
            port(service, "ana@example.org").searchFlights("Lisbon", "Faro");
            port(service, null).searchFlights("Lisbon", "Faro");
        }

        assertEquals(1, log().lines().filter(line -> line.endsWith("executing SearchFlightsService")).count());
        assertTrue(log().contains("DEBUG org.hibernate.SQL"), log());
        assertTrue(log().contains("INFO  perfstudies.flight.Serve Serve.java"), log());
    }

    @Test
    void logsTheDetailsOfOneLayer() throws Exception {
        try (Serve service = serve("log.level.service=debug")) {
            port(service, null).searchFlights("Lisbon", "Faro");
        }
        assertTrue(log().contains("DEBUG perfstudies.flight.service.ServiceExecutor"), log());
        assertFalse(log().contains("DEBUG org.hibernate"), log());

        Files.delete(folder.resolve("functional.log"));
        try (Serve service = serve("log.level.hibernate=debug")) {
            port(service, null).searchFlights("Lisbon", "Faro");
        }
        assertFalse(log().contains("DEBUG perfstudies"), log());
        assertTrue(log().contains("DEBUG org.hibernate.SQL"), log());
    }

    private Serve serve(String... properties) throws Exception {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "database.url=jdbc:h2:mem:" + name;
        return new Serve(FlightSettings.read(Configuration.write(folder.resolve("c.properties"), all)));
    }

    private static FlightPortType port(Serve service, String user) throws IOException {
        FlightPortType port = new FlightService(URI.create(service.address() + "?wsdl").toURL(), TestDomain.SERVICE)
                .getFlightPort();
        if (user != null) {
            ((BindingProvider) port).getRequestContext().put(MessageContext.HTTP_REQUEST_HEADERS,
                    Map.of("From", List.of(user)));
        }
        return port;
    }

    private static PassengerView passenger(String name) {
        PassengerView passenger = new PassengerView();
        passenger.setName(name);
        passenger.setId("1");
        return passenger;
    }

    /** The lines of all threads, one thread after another. */
    private List<String> records() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("monitor"))) {
            return files.sorted().flatMap(ServeTest::lines).toList();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("functional.log"));
    }
}
