package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Tests of one running engine in front of a back end that keeps what it gets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EngineTest {

    private final String settings;
    Path folder;
    BackEnd backEnd;
    EngineProcess engine;
    private String address;

    EngineTest(String settings) {
        this.settings = settings;
    }

    @BeforeAll
    void start(@TempDir Path given) throws Exception {
        folder = given;
        backEnd = new BackEnd();
        engine = new EngineProcess(folder, settings + "backend=" + backEnd.address() + "\n");
        String ready = engine.line();
        assertTrue(ready != null && ready.matches("READY http://127\\.0\\.0\\.1:\\d+"), () -> log(ready));
        address = ready.substring("READY ".length());
    }

    @AfterAll
    void end() throws Exception {
        try {
            if (engine != null) {
                assertEquals(0, engine.end());
                try (Stream<Path> files = Files.list(engine.here())) {
                    assertEquals(List.of(), files.toList());
                }
            }
        } finally {
            if (engine != null) {
                engine.close();
            }
            backEnd.close();
        }
    }

    @BeforeEach
    void forget() {
        backEnd.received();
    }

    private String log(String said) {
        try {
            return said + Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return said + e;
        }
    }

    HttpResponse<String> send(String proxy, String message, String... headers) throws Exception {
        return Messages.send(address + "/services/" + proxy, message, headers);
    }

    String received() {
        return backEnd.received();
    }

    String address() {
        return address;
    }
}
