package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

class ConfigurationTest {

    private static final String BACKEND = "backend=http://127.0.0.1:81/services/EchoService\n";

    @TempDir
    private Path folder;

    private Configuration write(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("config"), "work.dir=" + folder + "\n" + text);
        return Configuration.write(Settings.read(file, Main.DEFAULTS));
    }

    private String refused(String text) {
        return assertThrows(UsageException.class, () -> write(text)).getMessage();
    }

    private static Properties properties(Configuration configuration, String name) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(configuration.folder().resolve(name))) {
            properties.load(reader);
        }
        return properties;
    }

    @Test
    void theFilesHaveTheSettings() throws IOException {
        Configuration configuration = write(BACKEND + "port=82\ntransport=nhttp\n");
        String axis2 = Files.readString(configuration.axis2());
        assertTrue(axis2.contains("<parameter name=\"port\">82</parameter>"));
        assertTrue(axis2.contains("class=\"org.apache.synapse.transport.nhttp.HttpCoreNIOListener\""));
        assertTrue(axis2.contains("class=\"org.apache.axis2.transport.http.SOAPMessageFormatter\""));
        assertFalse(axis2.contains("BinaryRelayBuilder"));
        String relay = Files.readString(write(BACKEND + "transport=nhttp-relay\n").axis2());
        assertTrue(relay.contains("HttpCoreNIOListener") && relay.contains("BinaryRelayBuilder"));
        assertFalse(relay.contains("${"));
        String synapse = Files.readString(configuration.synapse());
        assertTrue(synapse.contains("<address uri=\"http://127.0.0.1:81/services/EchoService\">"));
        assertFalse((axis2 + synapse).contains("${"));
    }

    @Test
    void tuningIsMoreThreads() throws IOException {
        Configuration byDefault = write(BACKEND);
        assertEquals("40", properties(byDefault, "passthru-http.properties").getProperty("worker_pool_size_core"));
        assertEquals("20", properties(byDefault, "nhttp.properties").getProperty("lst_t_core"));
        Configuration tuned = write(BACKEND + "threads=tuned\n");
        assertEquals("400", properties(tuned, "passthru-http.properties").getProperty("worker_pool_size_core"));
        assertEquals("200", properties(tuned, "nhttp.properties").getProperty("lst_t_core"));
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        assertTrue(refused("").contains("backend"));
        assertTrue(refused("backend=http://127.0.0.1:81/a\"b\n").contains("backend"));
        assertTrue(refused("backend=https://127.0.0.1:81/a\n").contains("backend"));
        assertTrue(refused(BACKEND + "transport=smoke\n").contains("passthru, nhttp, nhttp-relay"));
        assertTrue(refused(BACKEND + "threads=many\n").contains("default, tuned"));
        assertTrue(refused(BACKEND + "port=70000\n").contains("65535"));
        assertTrue(refused(BACKEND + "work.dir=\n").contains("work.dir"));
        assertTrue(refused(BACKEND + "colour=red\n").contains("unknown property colour"));
    }
}
