package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.flight.ws.contract.FlightPortType;
import perfstudies.flight.ws.contract.FlightService;

/** The programs as processes of their own: what they print, how they stop, and what they leave behind. */
class MainTest {

    /** Populated once for all tests: every process started here costs more than all that it does. */
    @TempDir
    static Path dataFolder;

    @TempDir
    Path folder;

    private Path errors;

    @BeforeAll
    static void populate() throws Exception {
        write(dataFolder, "airports.csv", "code,name,city,country\n"
                + "LIS,Portela,Lisbon,Portugal\nFAO,Faro,Faro,Portugal\n");
        write(dataFolder, "airplanes.csv", "registration,model,capacity,cost_per_use\nG-1,A318-100,32,1000.00\n");
        write(dataFolder, "flights.csv",
                "number,date_time,cost_per_passenger,price_per_passenger,origin,destination,airplane\n"
                + "BA1,2026-01-02T03:04:00,10.00,12.00,LIS,FAO,G-1\n");
        write(dataFolder, "c.properties", "database.url=jdbc:h2:file:" + dataFolder.resolve("flights")
                + "\ndatabase.user=sa\ndatabase.password=\ndata=" + dataFolder + "\n");
        Process process = start(Populate.class, dataFolder);
        try (BufferedReader output = process.inputReader()) {
            assertEquals("READY jdbc:h2:file:" + dataFolder.resolve("flights"), output.readLine());
            process.getOutputStream().close();
            assertEquals(0, process.waitFor());
        } finally {
            process.destroyForcibly();
        }
        assertEquals("", Files.readString(dataFolder.resolve("errors.txt")));
    }

    @BeforeEach
    void copyDatabase() throws IOException {
        errors = folder.resolve("errors.txt");
        String database = "flights" + Expected.DATABASE_SUFFIX;
        Files.copy(dataFolder.resolve(database), folder.resolve(database));
    }

    @Test
    void servesAndStopsWhenItsInputEnds() throws Exception {
        Process server = serve("trace");
        try (BufferedReader output = server.inputReader()) {
            String ready = output.readLine();
            FlightPortType port = port(ready);
            assertEquals("BA1", port.searchFlights("Lisbon", "Faro").get(0).getNumber());

            server.getOutputStream().close();
            assertEquals(0, server.waitFor());
            assertEquals(null, output.readLine(), "nothing else on standard output");
        } finally {
            server.destroyForcibly();
        }
        String log = Files.readString(folder.resolve("functional.log"));
        assertTrue(log.contains("INFO  perfstudies.flight.Serve Serve.java:"), "the caller's place");
        assertTrue(log.contains("TRACE " + Expected.TRACES), "Hibernate's own messages");
        assertEquals(log, Files.readString(errors), "the console has the same");
        assertEquals(1, recordFiles());
    }

    @Test
    void changesItsLevelWhenToldTo() throws Exception {
        Process server = serve("off");
        try (BufferedReader output = server.inputReader(); BufferedWriter input = server.outputWriter()) {
            FlightPortType port = port(output.readLine());
            port.searchFlights("Lisbon", "Faro");
            assertEquals("", Files.readString(folder.resolve("functional.log")));

            input.write("level " + Expected.FINEST + "\nlevel loud\n");
            input.flush();
            assertEquals("LEVEL " + Expected.FINEST, output.readLine());
            assertEquals("UNKNOWN level loud", output.readLine());
            port.searchFlights("Lisbon", "Faro");
            assertTrue(Files.readString(folder.resolve("functional.log")).contains(Expected.FINEST_MESSAGE));
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void stopsCleanlyWhenToldTo() throws Exception {
        Process server = serve("off");
        try (BufferedReader output = server.inputReader()) {
            port(output.readLine()).searchFlights("Lisbon", "Faro");

            server.destroy();
            assertEquals(0, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
        assertEquals("", Files.readString(errors));
        assertEquals("", Files.readString(folder.resolve("functional.log")));
        assertEquals(1, recordFiles());
    }

    @Test
    void aWrongPropertyIsNamedInOneLine() throws Exception {
        assertEquals(2, serve("loud").waitFor());
        assertEquals("flight: log.level = loud: must be one of off, fatal, error, warn, info, debug, trace\n",
                Files.readString(errors));
    }

    private Process serve(String level) throws IOException {
        Configuration.write(folder.resolve("c.properties"), "database.url=jdbc:h2:file:" + folder.resolve("flights"),
                "log.level=" + level, "log.console=true", "monitor=layer");
        return start(Main.class, folder);
    }

    private static FlightPortType port(String ready) throws IOException {
        assertTrue(ready.matches("READY http://127\\.0\\.0\\.1:\\d+/flight-ws/endpoint"), ready);
        assertFalse(ready.contains(":0/"), ready);
        return new FlightService(URI.create(ready.split(" ")[1] + "?wsdl").toURL(), TestDomain.SERVICE)
                .getFlightPort();
    }

    private static Process start(Class<?> main, Path folder) throws IOException {
        List<String> command = new ArrayList<>(Expected.JAVA_OPTIONS);
        command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1",
                "-Dlog4j.defaultInitOverride=true", main.getName(), "serve", "--config",
                folder.resolve("c.properties").toString()));
        return new ProcessBuilder(command)
                .redirectError(folder.resolve("errors.txt").toFile()).start();
    }

    private long recordFiles() throws IOException {
        try (var files = Files.list(folder.resolve("monitor"))) {
            return files.count();
        }
    }

    private static void write(Path folder, String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }
}
