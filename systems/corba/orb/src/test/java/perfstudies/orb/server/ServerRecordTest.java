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
        record.note(Event.QUEUED, 2, 1_250);
        record.note(Event.RECEIVED, 2, 1_000);
        record.noteQueueLength(2, 4);
        record.note(Event.RECEIVED, 0, -5);
        record.note(Event.REPLIED, 0, 5);
        record.noteCpu(0, 7);
        record.noteDispatcher(0, 1);
        assertEquals(ServerRecord.HEADER + "\n0,-5,,,,,,,10,7,0,1\n2,1000,250,,,,,,,0,4,0\n", written(record));
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
