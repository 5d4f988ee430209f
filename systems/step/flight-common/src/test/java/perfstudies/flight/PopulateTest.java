package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.persistence.SessionStore;
import perfstudies.launch.UsageException;
import perfstudies.monitor.Monitor;

class PopulateTest {

    @TempDir
    Path folder;

    @BeforeEach
    void writeData() throws IOException {
        Files.writeString(folder.resolve("airports.csv"),
                "code,name,city,country\nLIS,Portela,Lisbon,Portugal\nFAO,Faro,Faro,Portugal\n");
        Files.writeString(folder.resolve("airplanes.csv"),
                "registration,model,capacity,cost_per_use\nG-1,A318-100,32,1000.00\n");
        Files.writeString(folder.resolve("flights.csv"),
                "number,date_time,cost_per_passenger,price_per_passenger,origin,destination,airplane\n"
                + "BA1,2026-01-02T03:04:00,10.00,12.00,LIS,FAO,G-1\n");
    }

    @Test
    void fillsADatabaseOfAnotherUserOnce() throws Exception {
        Database theirs = new Database("jdbc:h2:file:" + folder.resolve("theirs"), "somebody", "secret", 1);
        Populate.run(theirs, folder);
        UsageException refusal = assertThrows(UsageException.class, () -> Populate.run(theirs, folder));
        assertEquals("database.url: the database has data, and an empty one is wanted", refusal.getMessage());

        try (Persistence persistence = new Persistence(theirs, Database.Schema.EXISTS, Monitor.OFF,
                Persistence.Monitoring.NONE)) {
            int airports = persistence.inTransaction(session ->
                    new SessionStore(session).find("from Airport", Object.class, Map.of()).size());
            assertEquals(2, airports);
        }
    }

    @Test
    void namesTheLineThatItCannotRead() throws Exception {
        Files.writeString(folder.resolve("airports.csv"), "code,name,city,country\nLIS,Portela\n");
        Database ours = new Database("jdbc:h2:file:" + folder.resolve("ours"), "sa", "", 1);
        UsageException refusal = assertThrows(UsageException.class, () -> Populate.run(ours, folder));
        assertTrue(refusal.getMessage().contains("airports.csv"), refusal.getMessage());
        assertFalse(Files.exists(folder.resolve("ours" + Expected.DATABASE_SUFFIX)));
    }
}
