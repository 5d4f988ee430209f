package perfstudies.orb.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.orb.RequestNumber;
import perfstudies.orb.server.ServerRecord.Event;

class ServerRecordTest {

    @TempDir
    private Path folder;

    @Test
    void timesCountFromTheArrivalAndOnesNotReachedAreEmpty() throws Exception {
        ServerRecord record = new ServerRecord(3);
        record.note(Event.QUEUED, 2, 1_253_999);
        record.note(Event.RECEIVED, 2, 1_000_001);
        record.noteQueueLength(2, 4);
        record.note(Event.RECEIVED, 0, -5_000);
        record.note(Event.REPLIED, 0, 5_000);
        record.noteCpu(0, 7_900);
        record.noteDispatcher(0, 1);
        assertEquals(ServerRecord.HEADER + "\n0,-5000,,,,,,,10000,7000,0,1\n2,1000000,253000,,,,,,,0,4,0\n", written(record));
    }

    @Test
    void requestsWithoutANumberOrBeyondTheLastOneAreNotRecorded() throws Exception {
        ServerRecord record = new ServerRecord(3);
        record.note(Event.RECEIVED, RequestNumber.NONE, 1);
        record.note(Event.RECEIVED, 3, 1);
        record.noteCpu(3, 1);
        assertEquals(ServerRecord.HEADER + "\n", written(record));
    }

    private String written(ServerRecord record) throws Exception {
        Path file = folder.resolve("server.csv");
        record.write(file);
        return Files.readString(file);
    }
}
