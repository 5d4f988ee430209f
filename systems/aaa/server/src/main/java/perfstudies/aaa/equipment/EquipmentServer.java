package perfstudies.aaa.equipment;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.w3c.dom.Element;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.Settings;
import perfstudies.aaa.UsageException;
import perfstudies.aaa.log.Logs;
import perfstudies.aaa.log.MessageLog;
import perfstudies.aaa.soap.SafeXml;
import perfstudies.aaa.soap.Soap;
import perfstudies.aaa.soap.SoapClient;
import perfstudies.aaa.soap.Wsdl;
import perfstudies.aaa.soap.Xml;
import perfstudies.aaa.ticket.KeyFiles;
import perfstudies.aaa.ticket.TicketVerifier;

/** The service equipment's address, by the HTTP server of the JDK. */
final class EquipmentServer implements AutoCloseable {

    /** The properties of the equipment. Bandwidth is in Mbit/s. */
    static final Map<String, Settings.Rule> PROPERTIES = Map.ofEntries(
            Map.entry("party", new Settings.Text("equipment")),
            Map.entry("port", new Settings.Whole("0", 0, 65535)),
            Map.entry("address", new Settings.Text("127.0.0.1")),
            Map.entry("work.dir", new Settings.Text("")),
            Map.entry("message.log", new Settings.Text("")),
            Map.entry("http.threads", new Settings.Whole("100", 1, 100_000)),
            Map.entry("service", new Settings.Text("bandwidth")),
            Map.entry("capacity_mbit", new Settings.Whole("1000000", 1, 1_000_000_000_000L)),
            Map.entry("reservation_ms", new Settings.Whole("60000", 1, 86_400_000)),
            Map.entry("aaa.server", new Settings.Text("")),
            Map.entry("aaa.timeout_ms", new Settings.Whole("30000", 1, 86_400_000)),
            Map.entry("ticket.public", new Settings.Text("")));

    private static final String PATH = "/equipment";
    private static final int BACKLOG = 4096;

    private final SafeXml xml = new SafeXml(EquipmentServer.class.getResource("equipment.xsd"));
    private final Wsdl wsdl = new Wsdl(EquipmentServer.class.getResource("equipment.wsdl"),
            EquipmentServer.class.getResource("equipment.xsd"));
    private final MessageLog messages;
    private final Logs logs;
    private final Operations operations;
    private final HttpServer server;
    private final ExecutorService threads;

    EquipmentServer(Settings settings, Clock clock) throws IOException, UsageException {
        // Without it, each answer on a connection that stays open waits 40 ms for the other side's acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        TicketVerifier tickets = tickets(settings, clock);
        messages = new MessageLog(settings.text("party"), settings.path("message.log"));
        logs = new Logs(messages.log());
        Equipment equipment = new Equipment(settings.large("capacity_mbit"), clock::millis);
        operations = new Operations(equipment, settings.text("party"), settings.text("service"),
                settings.large("reservation_ms"), settings.text("aaa.server"),
                new SoapClient(messages, settings.large("aaa.timeout_ms")), tickets);
        threads = Executors.newFixedThreadPool(settings.whole("http.threads"));
        try {
            server = HttpServer.create(
                    new InetSocketAddress(settings.text("address"), settings.whole("port")), BACKLOG);
        } catch (IOException e) {
            threads.shutdownNow();
            logs.close();
            throw e;
        }
        server.setExecutor(threads);
        server.createContext(PATH, this::answer);
        server.start();
    }

    private static TicketVerifier tickets(Settings settings, Clock clock) throws UsageException {
        try {
            return settings.path("ticket.public") == null ? null
                    : new TicketVerifier(KeyFiles.readPublic(settings.path("ticket.public")), clock);
        } catch (IOException | GeneralSecurityException e) {
            throw new UsageException("property ticket.public: " + e);
        }
    }

    String address() {
        InetSocketAddress address = server.getAddress();
        return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + PATH;
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.shutdownNow();
        logs.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("POST")) {
                post(exchange);
            } else if ("wsdl".equalsIgnoreCase(exchange.getRequestURI().getQuery())) {
                send(exchange, 200, wsdl.at(address()));
            } else {
                exchange.sendResponseHeaders(405, -1);
            }
        }
    }

    private void post(HttpExchange exchange) throws IOException {
        long enteredUs = MessageLog.nowUs();
        String peer = MessageLog.peer(exchange.getRequestHeaders().getFirst(MessageLog.PARTY_HEADER));
        String operation = "";
        String session = "";
        String replied = "Fault";
        int status = 500;
        byte[] reply;
        try {
            Element message = Soap.request(Soap.read(exchange.getRequestBody()), xml);
            operation = message.getLocalName();
            session = Xml.text(message, "Session");
            Operations.Answer answer = operations.perform(message);
            session = answer.session();
            replied = operation + "Reply";
            status = 200;
            reply = Soap.envelope(answer.xml(operation));
        } catch (Refusal e) {
            reply = Soap.fault(e.fault(), e.getMessage());
        } catch (RuntimeException e) {
            reply = Soap.fault(FaultName.ServerFailed, "the request failed: " + e);
        }
        messages.received(enteredUs, peer, operation, session);
        messages.sent(peer, replied, session);
        send(exchange, status, reply);
    }

    private static void send(HttpExchange exchange, int status, byte[] message) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", Soap.CONTENT_TYPE);
        exchange.sendResponseHeaders(status, message.length);
        exchange.getResponseBody().write(message);
    }
}
