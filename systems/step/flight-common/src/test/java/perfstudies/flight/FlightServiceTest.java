package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.flight.TestDomain.passenger;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.flight.extension.Extensions;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.service.ServiceExecutor;
import perfstudies.flight.view.FlightView;
import perfstudies.flight.view.ReservationView;
import perfstudies.flight.web.FlightServer;
import perfstudies.flight.web.MonitorFilter;
import perfstudies.flight.ws.FlightEndpoint;
import perfstudies.flight.ws.MonitorHandler;
import perfstudies.flight.ws.contract.FlightFault;
import perfstudies.flight.ws.contract.FlightPortType;
import perfstudies.flight.ws.contract.FlightService;
import perfstudies.flight.ws.contract.ServiceUnavailable;
import perfstudies.monitor.LayerMonitor;

/** All layers together, over HTTP, with the monitor on. */
class FlightServiceTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path monitorFolder;

    private final List<String> reports = new ArrayList<>();
    private LayerMonitor monitor;
    private Persistence persistence;
    private FlightServer server;

    @BeforeEach
    void start() throws Exception {
        monitor = new LayerMonitor(monitorFolder, System::nanoTime, reports::add);
        persistence = TestDomain.open("service-" + System.nanoTime(), monitor,
                new Persistence.Monitoring(true, true, false));
        Extensions extensions = Extensions.readBuiltIn("extensions-monitor.properties", monitor);
        FlightEndpoint endpoint = new FlightEndpoint(new ServiceExecutor(persistence, extensions.service()),
                extensions.webService());
        server = new FlightServer(0, endpoint, List.of(new MonitorHandler(monitor)),
                List.of(new MonitorFilter(monitor)));
        server.start();
        // Filling the database was no request.
        forgetRecords();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        persistence.close();
        monitor.close();
        assertEquals(List.of(), reports);
    }

    @Test
    void answersTheFourOperations() throws Exception {
        FlightPortType port = port();

        List<FlightView> flights = port.searchFlights("Lisbon", "Faro");
        assertEquals(List.of("BA3", "BA2", "BA1"), flights.stream().map(FlightView::getNumber).toList());
        assertEquals("Lisbon", flights.get(0).getDepart());
        assertEquals("2026-01-03T12:00:00", flights.get(0).getDate().toString());
        assertEquals("GBP 10.00", flights.get(0).getPrice().getCode() + " " + flights.get(0).getPrice().getValue());
        assertEquals(List.of(), port.searchFlights("Lisbonx", "Faro"));

        assertEquals("BA1-1", port.createSingleReservation("BA1", passenger("Ana")).getCode());
        List<ReservationView> group = port.createMultipleReservations("BA1", List.of(passenger("A"), passenger("B")));
        assertEquals(List.of("BA1-2", "BA1-3"), group.stream().map(ReservationView::getCode).toList());
        assertEquals(List.of(), port.createMultipleReservations("BA1", List.of()));
        assertEquals("BA4-1", port.createLowPriceReservation("Faro", "Lisbon", passenger("Ana")).getCode());
    }

    @Test
    void aFaultNamesTheRuleThatWasBroken() throws Exception {
        FlightPortType port = port();

        FlightFault fault = assertThrows(FlightFault.class,
                () -> port.createSingleReservation("BA1x", passenger("Ana")));
        assertEquals("UnknownFlightException", fault.getFaultInfo().getFaultType());
        assertThrows(FlightFault.class, () -> port.createLowPriceReservation("Faro", "Faro", passenger("Ana")));
    }

    @Test
    void aGroupIsReservedAltogetherOrNotAtAll() throws Exception {
        FlightPortType port = port();
        assertThrows(FlightFault.class,
                () -> port.createMultipleReservations("BA1", List.of(passenger("Ana"), passenger(" "))));

        assertEquals("BA1-1", port.createSingleReservation("BA1", passenger("Ana")).getCode());
    }

    @Test
    void anythingElseThatFailsIsServiceUnavailable() throws Exception {
        FlightPortType port = port();
        ServiceUnavailable fault = assertThrows(ServiceUnavailable.class,
                () -> port.createSingleReservation("BA1", null));

        assertEquals("java.lang.NullPointerException", fault.getFaultInfo().getError());
    }

    @Test
    void everyRequestLeavesOneRecordWhoseLayersContainEachOther() throws Exception {
        FlightPortType port = port();
        port.searchFlights("Lisbon", "Faro");
        port.createSingleReservation("BA1", passenger("Ana"));
        assertThrows(FlightFault.class, () -> port.createSingleReservation("BA1x", passenger("Ana")));
        assertThrows(ServiceUnavailable.class, () -> port.createSingleReservation("BA1", null));
        server.close();

        List<String> records = records();
        assertEquals(4, records.size(), () -> records.toString());
        for (String record : records) {
            assertTrue(time(record, "filter") > time(record, "soap"), record);
            assertTrue(time(record, "soap") > time(record, "wsi"), record);
            assertTrue(time(record, "wsi") > time(record, "si"), record);
            assertTrue(time(record, "si") > time(record, "hibernate"), record);
            assertTrue(time(record, "hibernate") > time(record, "hibernate.load"), record);
        }
        String search = one(records, "SearchFlightsService");
        assertTrue(search.matches("(?s).*context\\[name=searchFlights,request_logical_length=\\d+,"
                + "response_logical_length=\\d+,outcome=ok\\].*"), search);
        assertFalse(search.contains("hibernate.write"), search);
        assertTrue(one(records, "outcome=application exception").contains("name=createSingleReservation"));
        assertTrue(one(records, "outcome=system error").contains("name=createSingleReservation"));
        assertTrue(time(one(records, "hibernate.write"), "hibernate.write") > 0);
    }

    @Test
    void lengthsAreThoseOfTheWholeMessage() throws Exception {
        post(envelope("", "Lisbon", "Faro"));
        server.close();

        int expected = "EnvelopeBodysearchFlightsdepartLisbonarriveFaro".length();
        assertTrue(records().get(0).contains("request_logical_length=" + expected + ","), records().get(0));
    }

    @Test
    void readingTheContractIsNoRequest() throws Exception {
        String contract = get("?wsdl");
        assertTrue(contract.contains("location=\"" + server.address() + "\""), contract);
        assertFalse(contract.contains("schemaLocation"), "a client need not fetch anything else");
        server.close();

        assertEquals(List.of(), records());
    }

    @Test
    void refusesADocumentType() throws Exception {
        Path secret = Files.writeString(monitorFolder.resolve("secret.txt"), "Lisbon");
        for (String type : List.of("<!DOCTYPE e [<!ENTITY x 'Lisbon'>]>",
                "<!DOCTYPE e [<!ENTITY x SYSTEM '" + secret.toUri() + "'>]>")) {
            HttpResponse<String> response = post(envelope(type, "&x;", "Faro"));

            assertTrue(response.statusCode() >= 400, response.body());
            assertFalse(response.body().contains("BA1"), response.body());
        }
    }

    private FlightPortType port() throws IOException {
        return new FlightService(URI.create(server.address() + "?wsdl").toURL(), TestDomain.SERVICE)
                .getFlightPort();
    }

    private static String envelope(String documentType, String depart, String arrive) {
        return documentType + """
                <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"
                            xmlns:f="urn:org:tripplanner:flight:wsdl">
                  <e:Body>
                    <f:searchFlights><f:depart>%s</f:depart><f:arrive>%s</f:arrive></f:searchFlights>
                  </e:Body>
                </e:Envelope>
                """.formatted(depart, arrive);
    }

    private HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create(server.address()))
                .header("Content-Type", "text/xml; charset=utf-8")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String get(String query) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create(server.address() + query)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
    }

    private void forgetRecords() throws IOException {
        Files.writeString(monitorFolder.resolve("monitor-" + Thread.currentThread().getId() + ".log"), "");
    }

    /** The records of all threads. A request's record may come after its answer, so the server is stopped before. */
    private List<String> records() throws IOException {
        List<String> records = new ArrayList<>();
        try (Stream<Path> files = Files.list(monitorFolder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".log")).toList()) {
                for (String record : Files.readString(file).split("\n\n")) {
                    if (!record.isEmpty()) {
                        records.add(record);
                    }
                }
            }
        }
        return records;
    }

    private static String one(List<String> records, String part) {
        List<String> found = records.stream().filter(record -> record.contains(part)).toList();
        assertEquals(1, found.size(), part);
        return found.get(0);
    }

    private static long time(String record, String tag) {
        String start = "tag[" + tag + "] accTime[";
        int from = record.indexOf(start);
        assertTrue(from >= 0, () -> tag + " is missing in " + record);
        return Long.parseLong(record.substring(from + start.length(), record.indexOf("ns]", from)));
    }
}
