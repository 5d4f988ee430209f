package perfstudies.aaa.launch;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A launcher as a process of its own, as the lab has it: its lines, and requests to its server. */
public final class ServerProcess implements AutoCloseable {

    private static final String REQUEST = """
            <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
            <AAA:AAARequest xmlns:AAA="http://www.AAA.org/ns/AAA_BoD" version="0.1" type="SNBpolicy01">
            <TimerCondition>%d</TimerCondition><TimerAction>0</TimerAction>
            </AAA:AAARequest></soap:Body></soap:Envelope>""";

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder;
    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;
    private final String ready;

    /** Starts a launcher that keeps everything in the folder, and waits for its first line. */
    public ServerProcess(Class<?> main, Path folder, List<String> options, String settings) throws IOException {
        this.folder = folder;
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "-cp", System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of(main.getName(), "serve", "--config", configuration(settings).toString()));
        process = new ProcessBuilder(command).redirectError(folder.resolve("errors.txt").toFile()).start();
        output = process.inputReader();
        input = process.outputWriter();
        ready = output.readLine();
    }

    /** The first line: null if the process ended without any. */
    public String ready() {
        return ready;
    }

    /** The answer to a command. */
    public String obey(String command) throws IOException {
        input.write(command + "\n");
        input.flush();
        return output.readLine();
    }

    /** The answer to the command that deploys with these settings. */
    public String deploy(String settings) throws IOException {
        return obey("deploy " + configuration(settings));
    }

    /** Sends requests with a timer all at once: for each the status and the answer, or 0 if there was none. */
    public List<String> ask(String ready, int requests, int units) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(ready.split(" ")[1]))
                .header("Content-Type", "text/xml").POST(HttpRequest.BodyPublishers.ofString(REQUEST.formatted(units)))
                .build();
        List<CompletableFuture<String>> answers = Stream.generate(() -> client
                .sendAsync(request, HttpResponse.BodyHandlers.ofString()).handle((answer, failure) -> failure == null
                        ? answer.statusCode() + " " + answer.headers().firstValue("SOAPAction").orElse("")
                        + " " + answer.body() : "0 " + failure)).limit(requests).toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /** One of the numbers that the server counted, of an answer to {@code statistics}. */
    public static long number(String statistics, String name) {
        Matcher number = Pattern.compile("\"" + name + "\": (\\d+)").matcher(statistics);
        if (!number.find()) {
            throw new AssertionError("no " + name + " in " + statistics);
        }
        return Long.parseLong(number.group(1));
    }

    /** Ends the process as the lab does; its status. */
    public int end() throws IOException, InterruptedException {
        input.close();
        return process.waitFor();
    }

    /** Ends the process without giving it time for anything. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** What is in the work folder. */
    public long filesLeft() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("work"))) {
            return files.count();
        }
    }

    private Path configuration(String settings) throws IOException {
        return Files.writeString(folder.resolve("c.properties"), "work.dir=" + folder.resolve("work")
                + "\ndatabase.url=jdbc:h2:file:" + folder.resolve("aaa") + ";DB_CLOSE_DELAY=-1\n" + settings);
    }
}
