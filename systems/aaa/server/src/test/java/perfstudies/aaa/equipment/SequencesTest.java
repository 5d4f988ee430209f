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
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Settings;
import perfstudies.aaa.soap.Soap;
import perfstudies.aaa.ticket.KeyFiles;
import perfstudies.aaa.web.TestServer;

/** The four sequences, between parties that only have HTTP in common. */
class SequencesTest {

    private static final String USER = "<User>ann</User><Bandwidth>10</Bandwidth>";
    private static final String USER_FOR_TICKET =
            "<User>ann</User><Service>bandwidth</Service><Bandwidth>10</Bandwidth>";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();
    @TempDir
    private Path folder;

    @BeforeEach
    void makeKeys() throws Exception {
        KeyFiles.make(folder.resolve("private.pem"), folder.resolve("public.pem"));
    }

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
        // The timer's bean, which these policies do not call, has made it.
        Deployment.current().close();
    }

    @Test
    void agentHasFourMessages() throws Exception {
        String equipment = equipment("");
        String reply = post(aaa("aaa", "equipment=" + equipment), request("BoDpolicy01", USER), 200);
        assertTrue(reply.contains("<Answer>yes</Answer><Session>aaa-0</Session><Reservation>r0</Reservation>"), reply);
        close();
        assertEquals(List.of("sent equipment Reserve aaa-0", "received equipment ReserveReply aaa-0",
                "received user AAARequest aaa-0", "sent user AAAReply aaa-0"), messages("aaa"));
        assertEquals(List.of("received aaa Reserve aaa-0", "sent aaa ReserveReply aaa-0"), messages("equipment"));
    }

    @Test
    void pullHasFourMessages() throws Exception {
        String equipment = equipment("aaa.server=" + aaa("aaa", ""));
        String reply = post(equipment, toEquipment("Request", USER), 200);
        assertTrue(reply.contains("<SE:RequestReply"), reply);
        assertTrue(reply.contains("<Answer>yes</Answer><Session>equipment-0</Session><Reservation>r0</Reservation>"),
                reply);
        close();
        assertEquals(List.of("received equipment AAARequest equipment-0", "sent equipment AAAReply equipment-0"),
                messages("aaa"));
        assertEquals(List.of("sent aaa AAARequest equipment-0", "received aaa AAAReply equipment-0",
                "received user Request equipment-0", "sent user RequestReply equipment-0"), messages("equipment"));
    }

    @Test
    void pushHasFourMessages() throws Exception {
        String equipment = equipment("ticket.public=" + folder.resolve("public.pem"));
        String aaa = aaa("aaa", "ticket.key=" + folder.resolve("private.pem"));
        String ticket = ticket(post(aaa, request("Ticket01", USER_FOR_TICKET), 200));
        String reply = push(equipment, "ann", ticket, 200);
        assertTrue(reply.contains("<Answer>yes</Answer><Session>aaa-0</Session><Reservation>r0</Reservation>"), reply);
        close();
        assertEquals(List.of("received user AAARequest aaa-0", "sent user AAAReply aaa-0"), messages("aaa"));
        assertEquals(List.of("received user RequestWithTicket aaa-0", "sent user RequestWithTicketReply aaa-0"),
                messages("equipment"));
    }

    @Test
    void roamingHasSixMessages() throws Exception {
        String provider = aaa("provider", "equipment=" + equipment(""));
        String reply = post(aaa("home", "roaming.provider=" + provider), request("Roaming01", USER), 200);
        assertTrue(reply.contains("<Answer>yes</Answer><Session>home-0</Session><Reservation>r0</Reservation>"), reply);
        close();
        assertEquals(List.of("sent provider AAARequest home-0", "received provider AAAReply home-0",
                "received user AAARequest home-0", "sent user AAAReply home-0"), messages("home"));
        assertEquals(List.of("sent equipment Reserve home-0", "received equipment ReserveReply home-0",
                "received home AAARequest home-0", "sent home AAAReply home-0"), messages("provider"));
        assertEquals(List.of("received provider Reserve home-0", "sent provider ReserveReply home-0"),
                messages("equipment"));
    }

    @Test
    void aTicketThatIsNotGoodIsRefused() throws Exception {
        String equipment = equipment("ticket.public=" + folder.resolve("public.pem"));
        String aaa = aaa("aaa", "ticket.key=" + folder.resolve("private.pem"));
        String ticket = ticket(post(aaa, request("Ticket01", USER_FOR_TICKET), 200));
        String tampered = (ticket.charAt(0) == 'A' ? 'B' : 'A') + ticket.substring(1);
        assertFault("TicketTampered", push(equipment, "ann", tampered, 500));
        push(equipment, "ann", ticket, 200);
        assertFault("TicketReplayed", push(equipment, "ann", ticket, 500));
        String others = ticket(post(aaa, request("Ticket01", USER_FOR_TICKET.replace("bandwidth", "disk")), 200));
        assertTrue(push(equipment, "ann", others, 200).contains("<Answer>no</Answer>"));
        String stolen = ticket(post(aaa, request("Ticket01", USER_FOR_TICKET), 200));
        assertTrue(push(equipment, "bob", stolen, 200).contains("<Answer>no</Answer>"));
    }

    @Test
    void aTicketExpires() throws Exception {
        String equipment = equipment("ticket.public=" + folder.resolve("public.pem"));
        String aaa = aaa("aaa", "ticket.lifetime_ms=1\nticket.key=" + folder.resolve("private.pem"));
        String ticket = ticket(post(aaa, request("Ticket01", USER_FOR_TICKET), 200));
        Thread.sleep(10);
        assertFault("TicketExpired", push(equipment, "ann", ticket, 500));
    }

    @Test
    void whatIsNotFreeIsANoAndAnEquipmentThatIsNotThereAFault() throws Exception {
        String equipment = equipment("capacity_mbit=15");
        String aaa = aaa("aaa", "equipment=" + equipment);
        assertTrue(post(aaa, request("BoDpolicy01", USER), 200).contains("<Answer>yes</Answer>"));
        String full = post(aaa, request("BoDpolicy01", USER), 200);
        assertTrue(full.contains("<Answer>no</Answer>"), full);
        assertTrue(full.contains("10 Mbit/s are not free"), full);
        post(equipment, toEquipment("Release", "<Reservation>r0</Reservation>"), 200);
        assertTrue(post(aaa, request("BoDpolicy01", USER), 200).contains("<Answer>yes</Answer>"));
        opened.removeLast().close();
        assertFault("EquipmentFailed", post(aaa, request("BoDpolicy01", USER), 500));
    }

    @Test
    void thePolicyRefusesTooMuchBandwidth() throws Exception {
        String equipment = equipment("aaa.server=" + aaa("aaa", ""));
        String reply = post(equipment, toEquipment("Request", USER.replace("10", "1001")), 200);
        assertTrue(reply.contains("<Answer>no</Answer>"), reply);
        assertTrue(reply.contains("Bandwidth is 1001, and must be at most 1000"), reply);
    }

    @Test
    void aProvidersFaultIsPassedOnWithItsText() throws Exception {
        String provider = aaa("provider", "");
        String home = aaa("home", "roaming.provider=" + provider);
        String reply = post(home, request("Roaming01", USER), 500);
        assertFault("ProviderFailed", reply);
        assertTrue(reply.contains("EquipmentFailed: the setting equipment is missing"), reply);
    }

    @Test
    void theEquipmentRefusesBadRequestsAndDescribesItself() throws Exception {
        String equipment = equipment("");
        assertFault("BadRequest", post(equipment, toEquipment("Request", "<User>ann</User>"), 500));
        assertFault("BadRequest", post(equipment, toEquipment("ReserveReply", "<Answer>yes</Answer>"), 500));
        assertFault("ProviderFailed", post(equipment, toEquipment("Request", USER), 500));
        assertFault("ServerFailed", push(equipment, "ann", "x", 500));
        String wsdl = http.send(HttpRequest.newBuilder(URI.create(equipment + "?wsdl")).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        assertTrue(wsdl.contains("location=\"" + equipment + "\""), wsdl);
    }

    private String equipment(String settings) throws Exception {
        EquipmentServer server = new EquipmentServer(
                Settings.read(settings("equipment", settings), EquipmentServer.PROPERTIES), Clock.systemUTC());
        opened.add(server);
        return server.address();
    }

    private String aaa(String party, String settings) throws Exception {
        TestServer server = new TestServer(new Deployment(Settings.read(settings(party, settings))), null);
        opened.push(server);
        return server.address();
    }

    private Path settings(String party, String settings) throws IOException {
        return Files.writeString(folder.resolve(party + ".properties"), settings + "\nparty=" + party + "\nmessage.log="
                + folder.resolve(party + ".csv") + "\n");
    }

    /** The party's messages without their times; the ones of others first, in the order of writing. */
    private List<String> messages(String party) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve(party + ".csv"));
        assertEquals("at_us,party,direction,peer,operation,session", lines.get(0));
        return lines.stream().skip(1).map(line -> line.split(",")).peek(cells -> assertEquals(party, cells[1]))
                .map(cells -> String.join(" ", cells[2], cells[3], cells[4], cells[5])).toList();
    }

    private String post(String address, String content, int status) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(HttpRequest.newBuilder(URI.create(address))
                .POST(HttpRequest.BodyPublishers.ofByteArray(Soap.envelope(content))).build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(status, response.statusCode(), response.body());
        return response.body();
    }

    private static String request(String type, String arguments) {
        return "<AAA:AAARequest xmlns:AAA=\"" + Soap.AAA + "\" version=\"0.1\" type=\"" + type + "\">" + arguments
                + "</AAA:AAARequest>";
    }

    private static String toEquipment(String operation, String arguments) {
        return "<SE:" + operation + " xmlns:SE=\"http://www.AAA.org/ns/Equipment\">" + arguments + "</SE:" + operation
                + ">";
    }

    private String push(String equipment, String user, String ticket, int status)
            throws IOException, InterruptedException {
        return post(equipment, toEquipment("RequestWithTicket", "<User>" + user + "</User><Ticket>" + ticket
                + "</Ticket>"), status);
    }

    private static String ticket(String reply) {
        Matcher ticket = Pattern.compile("<Ticket>(.*)</Ticket>").matcher(reply);
        assertTrue(ticket.find(), reply);
        return ticket.group(1);
    }

    private static void assertFault(String name, String reply) {
        assertTrue(reply.contains("<detail><AAA:" + name + " xmlns"), reply);
    }
}
