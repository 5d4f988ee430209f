package perfstudies.esb.synapse;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The program as its users run it. */
final class EngineProcess implements AutoCloseable {

    private static final long PATIENCE_S = 120;

    private final Path here;
    private final Process process;
    private final BufferedReader answers;

    EngineProcess(Path folder, String properties) throws IOException {
        Path config = Files.writeString(folder.resolve("engine.properties"), "work.dir=" + folder + "\n" + properties);
        here = Files.createDirectory(folder.resolve("here"));
        process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder, "-cp", System.getProperty("java.class.path"),
                Main.class.getName(), "serve", "--config", config.toString())
                .directory(here.toFile()).redirectError(folder.resolve("log").toFile()).start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next line that it says, or nothing if it ended. */
    String line() throws IOException {
        return answers.readLine();
    }

    String obey(String command) throws IOException {
        process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return line();
    }

    /** Ends its input, and returns its status. */
    int end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new IOException("it did not end");
        }
        return process.exitValue();
    }

    /** The folder in which it runs, where it must leave nothing. */
    Path here() {
        return here;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
