package perfstudies.esb.axis2client;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
    void whatIsNotSaidIsTheClientsOwnDefault() throws IOException {
        Plan plan = read("address=http://127.0.0.1:1/a", "record=calls.csv", "calls=6", "service.client=new");
        assertEquals(0, plan.connections());
        assertEquals(Release.CLEANUP, plan.release());
        assertTrue(plan.newClients());
        assertEquals(6, plan.calls());
    }

    @Test
    void anAddressElsewhereIsRefused() {
        UsageException error = assertThrows(UsageException.class, () -> read("address=http://192.0.2.1/a"));
        assertTrue(error.getMessage().contains("loopback"), error.getMessage());
    }

    @Test
    void anUnknownReleaseIsRefusedWithThoseThatThereAre() {
        UsageException error =
                assertThrows(UsageException.class, () -> read("address=http://localhost/a", "release=perhaps"));
        assertTrue(error.getMessage().contains("cleanup, auto, option, read, none"), error.getMessage());
    }

    private Plan read(String... lines) throws IOException {
        return Plan.read(Files.writeString(folder.resolve("plan.properties"), String.join("\n", lines) + "\n"));
    }
}
