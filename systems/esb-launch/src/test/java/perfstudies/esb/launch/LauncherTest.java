package perfstudies.esb.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {

    @TempDir
    private Path folder;

    /** Answers everything but "break", and leaves a file when it is stopped. */
    static final class Echo implements Party {

        private Path stopped;

        public static void main(String[] arguments) {
            Launcher.run("echo", arguments, Map.of("stopped", ""), new Echo());
        }

        @Override
        public String start(Settings settings) {
            stopped = Path.of(settings.text("stopped"));
            return "http://127.0.0.1:1/";
        }

        @Override
        public String answer(String line) {
            if (line.equals("break")) {
                throw new IllegalStateException("as\nasked");
            }
            return "SAID " + line;
        }

        @Override
        public void stop() throws IOException {
            if (stopped != null) {
                Files.writeString(stopped, "");
            }
        }
    }

    private Process start(String... arguments) throws IOException {
        String[] command = new String[4 + arguments.length];
        command[0] = ProcessHandle.current().info().command().orElseThrow();
        command[1] = "-cp";
        command[2] = System.getProperty("java.class.path");
        command[3] = Echo.class.getName();
        System.arraycopy(arguments, 0, command, 4, arguments.length);
        return new ProcessBuilder(command).redirectError(folder.resolve("log").toFile()).start();
    }

    private String config(String text) throws IOException {
        return Files.writeString(folder.resolve("config.properties"), text).toString();
    }

    private void write(Process process, String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes());
        process.getOutputStream().flush();
    }

    private int status(Process process) throws InterruptedException {
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        return process.exitValue();
    }

    @Test
    void itAnswersUntilItsInputEndsAndThenStopsTheParty() throws Exception {
        Path stopped = folder.resolve("stopped");
        Process process = start("serve", "--config", config("stopped=" + stopped));
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream()));
        assertEquals("READY http://127.0.0.1:1/", said.readLine());
        write(process, "a line");
        assertEquals("SAID a line", said.readLine());
        write(process, "break");
        assertEquals("FAILED java.lang.IllegalStateException: as asked", said.readLine());
        process.getOutputStream().close();
        assertEquals(0, status(process));
        assertTrue(Files.exists(stopped));
    }

    @Test
    void wrongUseEndsItWithAStatusOfItsOwn() throws Exception {
        assertEquals(2, status(start("serve")));
        assertEquals(2, status(start("serve", "--config", config("nonsense=1"))));
        assertTrue(Files.readString(folder.resolve("log")).contains("unknown property nonsense"));
    }
}
