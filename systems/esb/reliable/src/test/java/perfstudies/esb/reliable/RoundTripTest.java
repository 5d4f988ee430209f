package perfstudies.esb.reliable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

class RoundTripTest {

    private static final Map<String, String> DEFAULTS = new HashMap<>(Main.DEFAULTS);

    static {
        DEFAULTS.putAll(Map.of("delivery", "plain", "again_ms", "300", "text.length", "50"));
    }

    @TempDir
    private Path folder;

    @BeforeAll
    static void silence() {
        Reliability.silence();
    }

    private Settings settings(Delivery delivery, String server, String... more) throws Exception {
        Map<String, String> values = new TreeMap<>();
        values.put("work.dir", folder.toString());
        values.put("delivery", delivery.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        values.put("server", server);
        values.put("record", folder.resolve("calls.csv").toString());
        for (int i = 0; i < more.length; i += 2) {
            values.put(more[i], more[i + 1]);
        }
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return Settings.read(Files.writeString(folder.resolve("run.properties"), text.toString()), DEFAULTS);
    }

    private static void waitUntilApplied(Server server, int count) throws Exception {
        // A test that hangs here is ended by the build.
        while (!server.answer("count").equals("COUNT " + count + " 0")) {
            Thread.onSpinWait();
        }
    }

    private void assertCounted(int messages) throws Exception {
        Counting.write(folder);
        StringBuilder expected = new StringBuilder("number,committed,applied\n");
        for (int number = 1; number <= messages; number++) {
            expected.append(number).append(",1,1\n");
        }
        assertEquals(expected.toString(), Files.readString(folder.resolve("counted.csv")));
    }

    @ParameterizedTest
    @EnumSource(Delivery.class)
    void everyMessageIsAppliedOnceWhereNothingFails(Delivery delivery) throws Exception {
        try (Server server = new Server(settings(delivery, ""));
                Client client = new Client(settings(delivery, server.address()))) {
            assertEquals("SENT 3", client.answer("send 3"));
            assertEquals("SENT 5", client.answer("send 5"));
            assertEquals("SETTLED 0", client.answer("settle 60000"));
            waitUntilApplied(server, 5);
        }
        assertCounted(5);
        assertEquals(6, Files.readAllLines(folder.resolve("calls.csv")).size());
    }

    @ParameterizedTest
    @EnumSource(value = Delivery.class, names = {"STORED", "TRANSACTIONAL"})
    void whatIsStoredGoesOnWhenBothSidesComeBack(Delivery delivery) throws Exception {
        Server server = new Server(settings(delivery, ""));
        String address = server.address();
        try (Client client = new Client(settings(delivery, address))) {
            client.answer("send 1");
            assertEquals("SETTLED 0", client.answer("settle 60000"));
            waitUntilApplied(server, 1);
            server.close();
            client.answer("send 3");
            assertEquals("SETTLED 2", client.answer("settle 1"));
        }
        // The same address: the messages in the client's store are for it.
        try (Server again = new Server(settings(delivery, "", "work.dir", folder.toString()), address);
                Client client = new Client(settings(delivery, address))) {
            assertEquals("SETTLED 0", client.answer("settle 60000"));
            waitUntilApplied(again, 3);
        }
        assertCounted(3);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThrows(UsageException.class, () -> new Halts(settings(Delivery.PLAIN, "", "halt.at", "somewhere")));
        assertThrows(UsageException.class, () -> new Server(settings(Delivery.PLAIN, "", "delivery", "perhaps")));
    }
}
