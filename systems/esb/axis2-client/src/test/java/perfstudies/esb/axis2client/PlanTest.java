package perfstudies.esb.axis2client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.launch.UsageException;

class PlanTest {

    @TempDir
    private Path folder;

    @Test
    void thePoolMayBeLeftAsItIs() throws IOException {
        Plan plan = read("http://127.0.0.1:1/a", "cleanup");
        assertEquals(0, plan.connections());
        assertEquals(Release.CLEANUP, plan.release());
        assertTrue(plan.newClients());
        assertEquals(6, plan.calls());
    }

    @Test
    void theClientMayBeAxis2sOwn() throws IOException {
        assertTrue(read("http://127.0.0.1:1/a", "cleanup", "own").ownClient());
        assertFalse(read("http://127.0.0.1:1/a", "cleanup", "20").ownClient());
    }

    @Test
    void anAddressElsewhereIsRefused() {
        UsageException error = assertThrows(UsageException.class, () -> read("http://192.0.2.1/a", "cleanup"));
        assertTrue(error.getMessage().contains("loopback"), error.getMessage());
    }

    @Test
    void anUnknownReleaseIsRefusedWithThoseThatThereAre() {
        UsageException error =
                assertThrows(UsageException.class, () -> read("http://localhost/a", "perhaps"));
        assertTrue(error.getMessage().contains("cleanup, auto, option, read, none, never"), error.getMessage());
    }

    private Plan read(String address, String release) throws IOException {
        return read(address, release, "default");
    }

    private Plan read(String address, String release, String connections) throws IOException {
        return Plan.read(Files.writeString(folder.resolve("plan.properties"), "address=" + address + "\nrelease="
                + release + "\ncalls=6\nthreads=2\nconnections=" + connections + "\nservice.client=new\norders=1"
                + "\npadding=0\npool.timeout_ms=0\nrecord=calls.csv\n"));
    }
}
