package perfstudies.flight.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightManager;

class DomainDataTest {

    private static final String FLIGHTS =
            "number,date_time,cost_per_passenger,price_per_passenger,origin,destination,airplane\n";

    @TempDir
    Path folder;

    @BeforeEach
    void writeData() throws IOException {
        write("airports.csv", "code,name,city,country\nLIS,\"Lisbon, \"\"Portela\"\"\",Lisbon,Portugal\n"
                + "FAO,Faro,Faro,Portugal\n");
        write("airplanes.csv", "registration,model,capacity,cost_per_use\nG-1,A318-100,32,1000.50\n");
        write("flights.csv", FLIGHTS + "BA1,2026-01-02T03:04:00,10.00,12.00,LIS,FAO,G-1\n");
    }

    @Test
    void buildsTheDomain() throws Exception {
        FlightManager manager = DomainData.read(folder);
        Flight flight = manager.getFlights().get("BA1");

        assertEquals("Lisbon, \"Portela\"", flight.getOrigin().getName());
        assertEquals("2026-01-02T03:04", flight.getDateTime().toString());
        assertEquals("A318-100", flight.getAirplane().getModel());
        assertEquals(2, manager.getAirports().size());
    }

    @Test
    void namesFileAndLineOfWhatIsWrong() throws IOException {
        write("flights.csv", FLIGHTS + "BA1,2026-01-02T03:04:00,10.00,12.00,LIS,XXX,G-1\n");
        assertEquals("flights.csv:2: unknown XXX", refusal());
        write("flights.csv", FLIGHTS + "BA1,2026-01-02T03:04:00,ten,12.00,LIS,FAO,G-1\n");
        assertEquals("flights.csv:2", refusal().substring(0, 13));
        write("flights.csv", FLIGHTS + "BA1,2026-01-02T03:04:00,10.00,12.00,LIS,FAO\n");
        assertEquals("flights.csv:2: 6 fields instead of 7", refusal());
        write("airports.csv", "code,city\n");
        assertEquals("airports.csv:1: the header must be code,name,city,country", refusal());
        write("airports.csv", "code,name,city,country\nLIS,a,b,c\nLIS,a,b,c\n");
        assertEquals("airports.csv:3: LIS comes twice", refusal());
    }

    @Test
    void splitsAtCommasOutsideQuotes() {
        assertEquals(List.of("a", "", "b,c", "d\"e", ""), Csv.split("a,,\"b,c\",\"d\"\"e\","));
    }

    private String refusal() {
        String message = assertThrows(DataException.class, () -> DomainData.read(folder)).getMessage();
        return message.substring(folder.toString().length() + 1);
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }
}
