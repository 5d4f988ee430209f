package perfstudies.esb.camel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.esb.camel.Messages.bytes;
import static perfstudies.esb.camel.Messages.echo;
import static perfstudies.esb.camel.Messages.envelope;
import static perfstudies.esb.camel.Messages.routed;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

class EngineTest {

    private static final String ACTION = "\"urn:sent\"";
    private static final String ROUTE = "xadmin;server1;community#1.0##";

    @TempDir
    private Path folder;
    private BackEnd backend;
    private final Engine engine = new Engine();
    private String address;

    @BeforeAll
    static void quiet() {
        BriefFormatter.install();
    }

    @BeforeEach
    void open() throws IOException {
        backend = new BackEnd(0);
    }

    @AfterEach
    void close() throws IOException {
        engine.stop();
        backend.close();
    }

    private Settings settings(String... lines) throws IOException {
        Path file = Files.write(folder.resolve("config.properties"), List.of(lines));
        return Settings.read(file, Main.DEFAULTS);
    }

    private void start(String... lines) throws Exception {
        Stream<String> always = Stream.of("backend=" + backend.address(), "work.dir=" + folder);
        address = engine.start(settings(Stream.concat(always, Stream.of(lines)).toArray(String[]::new)));
    }

    private HttpRequest request(String proxy, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + "/services/" + proxy))
                .timeout(Duration.ofSeconds(120)).header("Content-Type", "text/xml; charset=UTF-8")
                .header("SOAPAction", ACTION).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        return (headers.length > 0 ? request.headers(headers) : request).build();
    }

    /** Each call has a connection of its own: after a refusal the engine may close one that another call would take. */
    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private HttpResponse<byte[]> send(String proxy, byte[] body, String... headers) throws Exception {
        return client().send(request(proxy, body, headers), BodyHandlers.ofByteArray());
    }

    private void passes(String proxy, String message, String... headers) throws Exception {
        int before = backend.received.size();
        HttpResponse<byte[]> reply = send(proxy, bytes(message), headers);
        assertEquals(message, text(reply));
        assertEquals(200, reply.statusCode());
        assertEquals(before + 1, backend.received.size());
    }

    private void fails(int status, String reason, HttpResponse<byte[]> reply) {
        assertEquals(status, reply.statusCode());
        String text = text(reply);
        assertTrue(text.contains("<soapenv:Fault>") && text.contains(reason), text);
        assertFalse(text.contains("\tat "), text);
        assertTrue(reply.headers().firstValue("Content-Type").orElseThrow().startsWith("text/xml"));
        assertTrue(reply.headers().firstValue("SOAPAction").isEmpty());
    }

    private void refuses(String reason, String proxy, String message, String... headers) throws Exception {
        int before = backend.received.size();
        fails(500, reason, send(proxy, bytes(message), headers));
        assertEquals(before, backend.received.size());
    }

    private static String text(HttpResponse<byte[]> reply) {
        return new String(reply.body(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDirectProxyPassesBodiesByteByByte(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        for (int padding : new int[] {0, 200, 4_000, 60_000}) {
            byte[] message = bytes(echo("IBM", padding));
            HttpResponse<byte[]> reply = send("DirectProxy", message);
            assertEquals(200, reply.statusCode());
            assertArrayEquals(message, reply.body());
            assertArrayEquals(message, backend.received.remove().body());
        }
        assertEquals(1, backend.connections.size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void headersPassAndNoneComesBack(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        HttpResponse<byte[]> reply = send("DirectProxy", bytes("<a/>"), "Mine", "1");
        var headers = backend.received.remove().headers();
        assertEquals(ACTION, headers.getFirst("SOAPAction"));
        assertEquals("text/xml; charset=UTF-8", headers.getFirst("Content-Type"));
        assertEquals("1", headers.getFirst("Mine"));
        assertEquals("127.0.0.1:" + backend.port(), headers.getFirst("Host"));
        assertTrue(headers.keySet().stream().noneMatch(name -> name.toLowerCase().matches("x-.*|camel.*|forwarded")));
        assertTrue(reply.headers().firstValue("Mine").isEmpty());
        assertTrue(reply.headers().firstValue("SOAPAction").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theBodyRoutesByTheFirstSymbol(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        passes("CBRProxy", echo("IBM", 60_000));
        refuses("no route for the first order's symbol, SUN", "CBRProxy", echo("SUN", 0));
        refuses("&lt;b&gt;", "CBRProxy", echo("&lt;b&gt;", 0));
        refuses("missing", "CBRProxy", envelope("", "<echo/>"));
        refuses("missing", "CBRProxy", envelope("", "<echo xmlns='http://perfstudies/esb'><order/><order>"
                + "<symbol>IBM</symbol></order></echo>"));
        refuses("Client", "CBRProxy", "no XML");
        refuses("Client", "CBRProxy", "<!DOCTYPE a>" + echo("IBM", 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theSoapHeaderRoutes(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        passes("CBRSOAPHeaderProxy", routed(ROUTE));
        refuses("no route for the SOAP header routing, xadmin;server2", "CBRSOAPHeaderProxy", routed("xadmin;server2"));
        refuses("missing", "CBRSOAPHeaderProxy", echo(ROUTE, 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theTransportHeaderRoutes(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        passes("CBRTransportHeaderProxy", echo("IBM", 60_000), "routing", ROUTE);
        refuses("no route for the HTTP header routing, x", "CBRTransportHeaderProxy", echo("IBM", 0), "routing", "x");
        refuses("missing", "CBRTransportHeaderProxy", echo("IBM", 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theStylesheetsRenameBothWays(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        for (String prefix : List.of("", "esb:", "ns0:")) {
            backend.answer = bytes(envelope("", Messages.body(prefix, "echoResponse", "order", "SUN", 20_000)));
            HttpResponse<byte[]> reply =
                    send("XSLTProxy", bytes(envelope("", Messages.body(prefix, "buy", "stock", "IBM", 20_000))));
            BackEnd.Received received = backend.received.remove();
            assertEquals(envelope("", Messages.body("esb:", "echo", "order", "IBM", 20_000)),
                    new String(received.body(), StandardCharsets.UTF_8));
            assertEquals("\"urn:echo\"", received.headers().getFirst("SOAPAction"));
            assertEquals(envelope("", Messages.body("esb:", "buyResponse", "stock", "SUN", 20_000)), text(reply));
            assertEquals(200, reply.statusCode());
        }
        refuses("Client", "XSLTProxy", "<!DOCTYPE a>" + Messages.echo("IBM", 0));
        refuses("Client", "XSLTProxy", "<a>");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void securedMessagesArriveInPlain(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        Path plain = Files.write(folder.resolve("plain"), bytes(echo("IBM", 100)));
        Path secured = folder.resolve("secured");
        assertEquals("SECURED " + secured, engine.answer("secure " + plain + " " + secured));
        String message = Files.readString(secured);
        assertFalse(message.contains("symbol>"), message);
        HttpResponse<byte[]> reply = send("SecureProxy", bytes(message));
        assertEquals(200, reply.statusCode());
        String arrived = new String(backend.received.remove().body(), StandardCharsets.UTF_8);
        assertTrue(arrived.contains("<symbol>IBM</symbol>") && !arrived.contains("Security"), arrived);
        assertEquals(arrived, text(reply));
        refuses("Client", "SecureProxy", message.replaceFirst("Expires>2", "Expires>3"));
        refuses("no security header", "SecureProxy", echo("IBM", 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void faultsOfTheBackEndPass(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        backend.status = 500;
        backend.answer = bytes(envelope("", "<order xmlns='http://perfstudies/esb'>fault</order>"));
        for (String proxy : List.of("DirectProxy", "XSLTProxy")) {
            HttpResponse<byte[]> reply = send(proxy, bytes(echo("IBM", 0)));
            assertEquals(500, reply.statusCode());
            assertArrayEquals(backend.answer, reply.body());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeadBackEndIsAFaultAndTheEngineLivesOn(boolean streaming) throws Exception {
        start("streaming=" + streaming);
        passes("DirectProxy", echo("IBM", 0));
        int port = backend.port();
        backend.close();
        for (int i = 0; i < 3; i++) {
            fails(502, "the back end does not answer", send("DirectProxy", bytes(echo("IBM", 0))));
        }
        backend = new BackEnd(port);
        passes("DirectProxy", echo("IBM", 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThatBreaksOffIsNeverWhole(boolean streaming) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            Thread half = new Thread(() -> {
                try (Socket connection = socket.accept()) {
                    connection.getInputStream().read(new byte[8192]);
                    connection.getOutputStream().write(
                            bytes("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 9000\r\n\r\n<half>"));
                    connection.shutdownOutput();
                    connection.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The engine has gone away.
                }
            });
            half.start();
            address = engine.start(settings("streaming=" + streaming,
                    "backend=http://127.0.0.1:" + socket.getLocalPort() + "/services/EchoService"));
            if (streaming) {
                assertThrows(IOException.class, () -> send("DirectProxy", bytes("<a/>")));
            } else {
                fails(502, "the back end does not answer", send("DirectProxy", bytes("<a/>")));
            }
            half.join();
        }
    }

    @Test
    void tunedThreadsSendMoreMessagesOnAtOnceThanTheComponentsOwn() throws Exception {
        int many = 400;
        backend.together = new CountDownLatch(many);
        start("threads=tuned");
        List<CompletableFuture<HttpResponse<byte[]>>> replies = IntStream.range(0, many)
                .mapToObj(i -> client().sendAsync(request("DirectProxy", bytes("<a/>")), BodyHandlers.ofByteArray()))
                .toList();
        for (CompletableFuture<HttpResponse<byte[]>> reply : replies) {
            assertEquals(200, reply.join().statusCode());
        }
    }

    @Test
    void itStopsWithItsPortFreeAgain() throws Exception {
        start();
        int port = URI.create(address).getPort();
        passes("DirectProxy", echo("IBM", 0));
        engine.stop();
        Engine next = new Engine();
        try {
            assertEquals(address, next.start(settings("backend=" + backend.address(), "port=" + port)));
            passes("DirectProxy", echo("IBM", 0));
        } finally {
            next.stop();
        }
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() throws IOException {
        String good = "backend=" + backend.address();
        for (String[] bad : new String[][] {{good, "threads=many"}, {good, "streaming=maybe"}, {"backend="},
            {"backend=https://127.0.0.1/"}, {good, "work.dir=" + folder.resolve("none")}, {good, "port=-1"}}) {
            assertThrows(UsageException.class, () -> engine.start(settings(bad)), () -> String.join(" ", bad));
        }
        assertThrows(UsageException.class, () -> settings("caching=true"));
    }

    @Test
    void otherCommandsAreUnknown() throws Exception {
        assertEquals("UNKNOWN secure one", engine.answer("secure one"));
    }
}
