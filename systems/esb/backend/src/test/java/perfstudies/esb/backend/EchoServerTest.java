package perfstudies.esb.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

class EchoServerTest {

    private static final String ORDER =
            "<order><symbol>IBM</symbol><buyer>aşa</buyer><price>1.10</price><volume>5</volume></order>";
    private static final String REQUEST = """
            <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>\
            <echo xmlns="http://perfstudies/esb">%s%s<padding>a&amp;b</padding></echo></e:Body></e:Envelope>""";

    private final EchoServer server = new EchoServer();

    @TempDir
    private Path folder;

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private URI start(String settings) throws Exception {
        Path file = Files.writeString(folder.resolve("backend.properties"), settings);
        return URI.create(server.start(Settings.read(file, Main.DEFAULTS)));
    }

    private static String send(URI address, String message, int status) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setRequestProperty("Content-Type", "text/xml; charset=utf-8");
        connection.setRequestProperty("SOAPAction", "\"urn:echo\"");
        connection.setDoOutput(true);
        try (OutputStream body = connection.getOutputStream()) {
            body.write(message.getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(status, connection.getResponseCode());
        var answer = status == 200 ? connection.getInputStream() : connection.getErrorStream();
        try (answer) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anAnswerHasWhatTheRequestHad() throws Exception {
        URI address = start("");
        String answer = send(address, REQUEST.formatted(ORDER, ORDER.replace("IBM", "SUN")), 200);
        String plain = answer.replaceAll("<(/?)ns1:", "<$1");
        assertTrue(plain.contains(ORDER + ORDER.replace("IBM", "SUN") + "<padding>a&amp;b</padding></echoResponse>"),
                answer);
    }

    @Test
    void itsDescriptionNamesItsAddress() throws Exception {
        URI address = start("");
        try (var description = URI.create(address + "?wsdl").toURL().openStream()) {
            String text = new String(description.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(text.contains("location=\"" + address + "\""), text);
        }
    }

    @Test
    void whatIsNoOrderIsAnsweredWithAFaultWithoutAStackTrace() throws Exception {
        String fault = send(start(""), REQUEST.formatted(ORDER, ORDER.replace("5", "many")), 500);
        assertTrue(fault.contains("Fault>") && fault.contains("many"), fault);
        assertFalse(fault.contains("org.apache"), fault);
    }

    @Test
    void entitiesAreRefused() throws Exception {
        String bomb = "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/hostname\">]>";
        String fault = send(start(""), bomb + REQUEST.formatted(ORDER.replace("IBM", "&b;"), ""), 500);
        assertTrue(fault.contains("DOCTYPE is not allowed"), fault);
    }

    @Test
    void itListensOnLoopbackAlone() throws Exception {
        int port = start("").getPort();
        for (var network : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : network.inetAddresses().toList()) {
                if (!address.isLoopbackAddress()) {
                    assertThrows(IOException.class, () -> new Socket(address, port).close());
                }
            }
        }
    }

    @Test
    void eachConnectionHasAThreadUpToTheMostAndTheNextIsRefused() throws Exception {
        URI address = start("threads.core=1\nthreads.max=3");
        String message = REQUEST.formatted(ORDER, "");
        byte[] request = ("POST /services/EchoService HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
                + "Content-Length: " + message.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + message)
                .getBytes(StandardCharsets.UTF_8);
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), address.getPort());
                open.add(socket);
                socket.setSoTimeout(120_000);
                socket.getOutputStream().write(request);
                byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
                assertEquals(i < 3 ? "HTTP/1.1 200" : "HTTP/1.0 503", new String(status, StandardCharsets.US_ASCII));
            }
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void itAnswersLateIfToldTo() throws Exception {
        URI address = start("delay_ms=120");
        long started = System.nanoTime();
        send(address, REQUEST.formatted(ORDER, ""), 200);
        assertTrue(System.nanoTime() - started >= 120_000_000L);
    }

    @Test
    void itCountsTheCallsThatItServesAndWritesThemDownIfToldTo() throws Exception {
        Path log = folder.resolve("calls.csv");
        URI address = start("call.log=" + log);
        long before = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            send(address, REQUEST.formatted(ORDER, ""), 200);
        }
        send(address, REQUEST.formatted(ORDER.replace("5", "many"), ""), 500);
        assertEquals("SERVED 3", server.answer("served"));
        assertEquals("SERVED 0", server.answer("served"));
        List<String> lines = Files.readAllLines(log);
        assertEquals("entered_ns,left_ns", lines.get(0));
        assertEquals(4, lines.size());
        for (String line : lines.subList(1, 4)) {
            String[] times = line.split(",");
            assertTrue(before < Long.parseLong(times[0]) && Long.parseLong(times[0]) <= Long.parseLong(times[1]));
        }
        assertEquals("UNKNOWN line", server.answer("line"));
    }

    @Test
    void fewerThreadsAtMostThanAtLeastAreRefused() {
        assertThrows(UsageException.class, () -> start("threads.core=5\nthreads.max=4"));
    }
}
