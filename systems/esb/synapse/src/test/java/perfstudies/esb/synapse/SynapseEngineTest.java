package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.esb.synapse.Messages.echo;
import static perfstudies.esb.synapse.Messages.envelope;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.launch.Settings;

class SynapseEngineTest {

    /** The threads that serve messages. Synapse has timers, too, which stay as long as the process. */
    private static final Pattern SERVING = Pattern.compile("(PassThrough|HTTP-PT).*");

    @TempDir
    private Path folder;

    private Settings settings(String backend, int port) throws IOException {
        return Settings.read(Files.writeString(folder.resolve("config"),
                "work.dir=" + folder + "\nbackend=" + backend + "\nport=" + port + "\n"), Main.DEFAULTS);
    }

    private static List<Thread> serving() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> SERVING.matcher(thread.getName()).matches()).toList();
    }

    private static void assertNobodyServes() throws InterruptedException {
        for (Thread thread : serving()) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
        }
        assertEquals(List.of(), serving());
    }

    @Test
    void itCanBeStartedAndStoppedAgain() throws Exception {
        try (BackEnd backEnd = new BackEnd()) {
            int port = 0;
            for (int i = 0; i < 2; i++) {
                SynapseEngine engine = new SynapseEngine();
                try {
                    String address = engine.start(settings(backEnd.address(), port));
                    port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
                    assertEquals(200, Messages.send(address + "/services/DirectProxy", envelope("", echo("IBM")))
                            .statusCode());
                    assertTrue(serving().size() > 0);
                } finally {
                    engine.stop();
                }
                String address = "http://127.0.0.1:" + port;
                assertThrows(ConnectException.class, () -> Messages.send(address, ""));
                assertNobodyServes();
            }
        }
    }

    @Test
    void aBusyPortIsToldAndNothingStays() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SynapseEngine engine = new SynapseEngine();
            try {
                IOException error = assertThrows(IOException.class,
                        () -> engine.start(settings("http://127.0.0.1:1/a", busy.getLocalPort())));
                assertTrue(error.getMessage().contains("port"), error::getMessage);
            } finally {
                engine.stop();
            }
            assertNobodyServes();
        }
    }

    @Test
    void whatNeverStartedCanBeStopped() throws Exception {
        new SynapseEngine().stop();
    }
}
