package perfstudies.esb.camel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process. */
class MainTest {

    @TempDir
    private Path folder;

    private Process start(String config) throws IOException {
        Path file = Files.writeString(folder.resolve("config.properties"), config);
        Path work = Files.createDirectories(folder.resolve("work"));
        return new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + work, "-cp", System.getProperty("java.class.path"), Main.class.getName(),
                "serve", "--config", file.toString()).redirectError(folder.resolve("log").toFile()).start();
    }

    private Set<String> files(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Test
    void itSecuresAFileAndEndsQuietlyAndLeavesNothing() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), Messages.echo("IBM", 10));
        Process process = start("backend=http://127.0.0.1:1/services/EchoService\nwork.dir=" + folder.resolve("work"));
        try {
            BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream()));
            String ready = said.readLine();
            assertTrue(ready.matches("READY http://127\\.0\\.0\\.1:\\d+"), ready);
            process.getOutputStream().write(("secure " + plain + " " + folder.resolve("secured") + "\n").getBytes());
            process.getOutputStream().flush();
            assertEquals("SECURED " + folder.resolve("secured"), said.readLine());
            process.getOutputStream().close();
            assertTrue(process.waitFor(120, TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
            assertEquals(List.of(), said.lines().toList());
        } finally {
            process.destroyForcibly();
        }
        assertEquals("", Files.readString(folder.resolve("log")));
        assertEquals(Set.of("config.properties", "log", "plain", "secured", "work"), files(folder));
        assertEquals(Set.of(), files(folder.resolve("work")));
    }

    @Test
    void whatMakesNoSenseIsSaidInOneLine() throws Exception {
        Process process = start("backend=nowhere");
        try {
            assertTrue(process.waitFor(120, TimeUnit.SECONDS));
            assertEquals(2, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
        assertEquals(List.of("esb-camel: backend = nowhere: must be its address, http://HOST:PORT/PATH"),
                Files.readAllLines(folder.resolve("log")));
    }
}
