package perfstudies.aaa.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a process of its own: what it prints, how it ends, and what it leaves behind. */
class LauncherTest {

    @TempDir
    Path folder;

    @Test
    void answersAndEndsWhenItsInputEnds() throws Exception {
        Process server = serve("");
        try (BufferedReader output = server.inputReader(); BufferedWriter input = server.outputWriter()) {
            assertTrue(output.readLine().startsWith("READY http://127.0.0.1:"));
            input.write("close\n");
            input.flush();
            assertEquals("CLOSED", output.readLine());
            input.close();
            assertEquals(0, server.waitFor());
            assertEquals(null, output.readLine(), "nothing else on standard output");
        } finally {
            server.destroyForcibly();
        }
        assertTrue(isEmpty(folder.resolve("work")));
        assertEquals("not for the lab\n", errors());
    }

    @Test
    void endsWhenItIsToldToAndCleansUp() throws Exception {
        Process server = serve("");
        try (BufferedReader output = server.inputReader()) {
            output.readLine();
            server.destroy();
            assertEquals(0, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
        assertTrue(isEmpty(folder.resolve("work")));
    }

    @Test
    void endsThoughTheContainerNeverGetsReady() throws Exception {
        Process server = serve("ejb.steady=1\n");
        try {
            server.getOutputStream().close();
            assertEquals(0, server.waitFor());
        } finally {
            server.destroyForcibly();
        }
        assertTrue(isEmpty(folder.resolve("work")));
    }

    @Test
    void aWrongPropertyIsNamedInOneLine() throws Exception {
        assertEquals(2, serve("ejb.max=many\n").waitFor());
        assertEquals("fake: property ejb.max is many, allowed: 1 to 100000\n", errors());
    }

    @Test
    void aWrongCommandIsToldTheRightOne() throws Exception {
        assertEquals(2, start("serve").waitFor());
        assertEquals("fake: usage: serve --config FILE.properties\n", errors());
    }

    private Process serve(String more) throws IOException {
        Path configuration = Files.writeString(folder.resolve("c.properties"),
                "work.dir=" + Files.createDirectories(folder.resolve("work"))
                + "\ndatabase.url=jdbc:h2:mem:aaa\nejb.max=200\n" + more);
        return start("serve", "--config", configuration.toString());
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "-cp", System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1",
                FakeContainer.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(folder.resolve("errors.txt").toFile()).start();
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("errors.txt"));
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
