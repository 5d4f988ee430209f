package perfstudies.orb.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perfstudies.launch.UsageException;

class ScheduleTest {

    @TempDir
    private Path folder;

    @Test
    void requestsAreDueAsTheFileSays() throws Exception {
        Schedule schedule = read("due_ns,connection\n5,1\n5,0\n9000000000,1\n");
        assertEquals(3, schedule.requests());
        assertEquals(9_000_000_000L, schedule.dueNs(2));
        assertEquals(1, schedule.connection(0));
        assertEquals(0, schedule.connection(1));
    }

    @Test
    void requestsAtOnceGoOverAllConnections() {
        Schedule schedule = Schedule.atOnce(3, 2);
        assertEquals(0, schedule.dueNs(2));
        assertEquals(1, schedule.connection(1));
        assertEquals(0, schedule.connection(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4,0", "6", "6,0,0", "6,2", "6,-1", "late,0", ""})
    void aLineThatIsNoArrivalIsNamed(String line) {
        UsageException thrown = assertThrows(UsageException.class,
                () -> read("due_ns,connection\n5,0\n" + line + "\n"));
        assertTrue(thrown.getMessage().contains("arrivals.csv:3: " + line + " is not"), thrown.getMessage());
    }

    @Test
    void anotherFileIsRefused() {
        assertThrows(UsageException.class, () -> read("number,connection\n"));
        assertThrows(UsageException.class, () -> read(""));
        assertThrows(UsageException.class, () -> Schedule.read(folder.resolve("none"), 2));
    }

    private Schedule read(String text) throws IOException {
        return Schedule.read(Files.writeString(folder.resolve("arrivals.csv"), text), 2);
    }
}
