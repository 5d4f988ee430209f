package perfstudies.launch;

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
            if (line.equals("nonsense")) {
                throw new UsageException("makes no sense");
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

    /** Cannot be stopped. */
    static final class Stuck implements Program {

        private Path configuration;

        public static void main(String[] arguments) {
            Launcher.run("stuck", arguments, new Stuck());
        }

        @Override
        public String start(Path given) {
            configuration = given;
            return "http://127.0.0.1:1/";
        }

        @Override
        public void stop() throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
        }

        @Override
        public void abandon() throws IOException {
            Files.delete(configuration);
        }
    }

    private Process start(String... arguments) throws IOException {
        return start(Echo.class, arguments);
    }

    private Process start(Class<?> main, String... arguments) throws IOException {
        String[] command = new String[4 + arguments.length];
        command[0] = ProcessHandle.current().info().command().orElseThrow();
        command[1] = "-cp";
        command[2] = System.getProperty("java.class.path");
        command[3] = main.getName();
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
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
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
        write(process, "nonsense");
        assertEquals("FAILED makes no sense", said.readLine());
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

    @Test
    void whatCannotBeStoppedIsAbandonedInOrder() throws Exception {
        String configuration = config("");
        Process process = start(Stuck.class, "serve", "--config", configuration);
        process.getOutputStream().close();
        assertEquals(0, status(process));
        assertTrue(Files.notExists(Path.of(configuration)));
        assertTrue(Files.readString(folder.resolve("log")).contains("could not be stopped within"));
    }
}
