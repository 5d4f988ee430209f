package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.esb.synapse.Messages.ROUTING;
import static perfstudies.esb.synapse.Messages.echo;
import static perfstudies.esb.synapse.Messages.envelope;
import static perfstudies.esb.synapse.Messages.orders;
import static perfstudies.esb.synapse.Messages.routing;

import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every proxy does, whatever the transport. */
abstract class ProxiesTest extends EngineTest {

    ProxiesTest(String settings) {
        super(settings);
    }

    private void passed(HttpResponse<String> answer) {
        assertEquals(200, answer.statusCode(), answer::body);
        assertTrue(answer.body().contains("echoResponse>"), answer::body);
        assertTrue(answer.body().contains("<e:symbol>IBM</e:symbol>"), answer::body);
        assertTrue(received().contains("<e:symbol>IBM</e:symbol>"));
    }

    private void refused(HttpResponse<String> answer, String reason) {
        assertEquals(500, answer.statusCode(), answer::body);
        assertTrue(answer.body().contains("Fault>"), answer::body);
        assertTrue(answer.body().contains(reason), answer::body);
        assertNull(received());
    }

    @Test
    void onlyThisAddressIsServed() {
        String other = address().replace("127.0.0.1", "127.0.0.2");
        assertThrows(ConnectException.class, () -> Messages.send(other + "/services/DirectProxy", envelope("", "")));
    }

    @Test
    void aMessageIsPassedThrough() throws Exception {
        passed(send("DirectProxy", envelope("", echo("IBM"))));
    }

    @Test
    void theBodyIsARoute() throws Exception {
        passed(send("CBRProxy", envelope("", echo("IBM"))));
        refused(send("CBRProxy", envelope("", echo("SUN"))), "no route");
        String second = echo("SUN").replace("<e:padding>", "<e:order><e:symbol>IBM</e:symbol></e:order><e:padding>");
        refused(send("CBRProxy", envelope("", second)), "no route");
    }

    @Test
    void theSoapHeaderIsARoute() throws Exception {
        passed(send("CBRSOAPHeaderProxy", envelope(routing(ROUTING), echo("IBM"))));
        refused(send("CBRSOAPHeaderProxy", envelope(routing("another " + ROUTING), echo("IBM"))), "no route");
        refused(send("CBRSOAPHeaderProxy", envelope("", echo("IBM"))), "no route");
    }

    @Test
    void theTransportHeaderIsARoute() throws Exception {
        passed(send("CBRTransportHeaderProxy", envelope("", echo("IBM")), "routing", ROUTING));
        refused(send("CBRTransportHeaderProxy", envelope("", echo("IBM")), "routing", "another"), "no route");
        refused(send("CBRTransportHeaderProxy", envelope("", echo("IBM"))), "no route");
    }

    @Test
    void aMessageIsTranslatedThereAndBack() throws Exception {
        HttpResponse<String> answer = send("XSLTProxy", envelope("", orders("buy", "stock", "IBM")));
        assertEquals(200, answer.statusCode(), answer::body);
        String received = received();
        assertTrue(received.contains("<e:echo") && received.contains("<e:order>"), received);
        assertFalse(received.contains("stock"), received);
        assertTrue(answer.body().contains("<e:buyResponse") && answer.body().contains("<e:stock>"), answer::body);
        assertFalse(answer.body().contains("order>"), answer::body);
        assertTrue(answer.body().contains(">1.50<") && answer.body().contains(">x<"), answer::body);
    }

    @Test
    void aLargeMessageIsTranslatedWithoutFiles() throws Exception {
        String padding = ">" + "x".repeat(100_000) + "<";
        HttpResponse<String> answer = send("XSLTProxy",
                envelope("", orders("buy", "stock", "IBM").replace(">x<", padding)));
        assertEquals(200, answer.statusCode(), answer::body);
        assertTrue(answer.body().contains(padding));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(), files.filter(file -> file.toString().endsWith(".dat")).toList());
        }
    }

    @Test
    void aSecuredMessageIsOpened() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain.xml"), envelope("", echo("IBM")));
        Path out = folder.resolve("secured.xml");
        assertEquals("SECURED " + out, engine.obey("secure " + plain + " " + out));
        String secured = Files.readString(out);
        assertFalse(secured.contains("symbol>"));
        passed(send("SecureProxy", secured));
        passed(send("SecureProxy", secured));
        String changed = secured.replaceFirst("<wsu:Created>2", "<wsu:Created>1");
        refused(send("SecureProxy", changed), "security header is wrong");
        refused(send("SecureProxy", envelope("", echo("IBM"))), "no security header");
    }

    @Test
    void commandsThatMakeNoSenseAreRefused() throws Exception {
        assertTrue(engine.obey("secure one").startsWith("FAILED "));
        assertTrue(engine.obey("secure none none").startsWith("FAILED "));
        assertEquals("UNKNOWN nonsense", engine.obey("nonsense"));
    }

    @Test
    void whatIsForNoProxyIsRefused() throws Exception {
        refused(send("NoProxy", envelope("", echo("IBM"))), "no route");
    }

    @Test
    void documentTypesAreRefused() throws Exception {
        String message = "<!DOCTYPE a [<!ENTITY b \"IBM\">]>" + envelope("", echo("&b;"));
        HttpResponse<String> answer = send("CBRProxy", message);
        assertEquals(500, answer.statusCode(), answer::body);
        assertNull(received());
    }

    @Test
    void connectionsToTheBackEndAreKept() throws Exception {
        int before = backEnd.connections();
        int calls = 30;
        for (int i = 0; i < calls; i++) {
            passed(send("DirectProxy", envelope("", echo("IBM"))));
        }
        int made = backEnd.connections() - before;
        assertTrue(made < calls / 2, () -> made + " connections");
    }

    @Test
    void failuresOfTheBackEndAreToldAndDoNotSuspendIt() throws Exception {
        for (String proxy : new String[] {"DirectProxy", "CBRProxy", "DirectProxy", "DirectProxy"}) {
            String message = envelope("", echo("IBM").replace(">x<", ">" + BackEnd.HANG_UP + "<"));
            HttpResponse<String> answer = send(proxy, message);
            assertTrue(answer.statusCode() == 500 || answer.statusCode() == 502, answer::body);
            assertTrue(answer.body().contains("Fault>"), answer::body);
        }
        for (int i = 0; i < 4; i++) {
            passed(send("DirectProxy", envelope("", echo("IBM"))));
        }
    }
}
