package perfstudies.aaa.equipment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.Keys;

class MainTest {

    @TempDir
    private Path folder;

    @Test
    void isReadyWhenItSaysSoAndEndsWithItsInput() throws Exception {
        Files.writeString(folder.resolve("settings"), "capacity_mbit=5\n");
        Process process = start(Main.class, "serve", "--config", "settings");
        String line = process.inputReader().readLine();
        assertTrue(line.matches("READY http://127\\.0\\.0\\.1:[0-9]+/equipment"), line);
        HttpResponse<String> wsdl = HttpClient.newHttpClient().send(HttpRequest.newBuilder(
                URI.create(line.substring("READY ".length()) + "?wsdl")).build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(200, wsdl.statusCode());
        process.getOutputStream().close();
        assertEnd(0, process);
    }

    @Test
    void wrongSettingsAreNamed() throws Exception {
        Files.writeString(folder.resolve("settings"), "capacity=5\n");
        Process process = start(Main.class, "serve", "--config", "settings");
        String complaint = process.errorReader().readLine();
        assertTrue(complaint.startsWith("equipment: unknown property capacity, allowed: aaa.server"), complaint);
        assertEnd(2, process);
        Process useless = start(Main.class, "run");
        assertEquals("equipment: allowed: serve --config FILE", useless.errorReader().readLine());
        assertEnd(2, useless);
    }

    @Test
    void keysAreMadeOnce() throws Exception {
        assertEnd(0, start(Keys.class, "--private", "a.pem", "--public", "b.pem"));
        assertTrue(Files.readString(folder.resolve("a.pem")).startsWith("-----BEGIN PRIVATE KEY-----"));
        assertTrue(Files.readString(folder.resolve("b.pem")).startsWith("-----BEGIN PUBLIC KEY-----"));
        assertEnd(1, start(Keys.class, "--private", "a.pem", "--public", "b.pem"));
        assertEnd(2, start(Keys.class, "--private", "a.pem"));
    }

    private Process start(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
                Path.of("target", "classes").toAbsolutePath().toString(), program.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).directory(folder.toFile()).start();
    }

    private static void assertEnd(int status, Process process) throws InterruptedException {
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        assertEquals(status, process.exitValue());
    }
}
