package perfstudies.esb.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityTest {

    private static final String ENVELOPE = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">"
            + "<s:Header><h:other xmlns:h=\"urn:h\">kept</h:other></s:Header>"
            + "<s:Body><e:echo xmlns:e=\"http://perfstudies/esb\"><order><symbol>IBM</symbol></order>\n é &amp; &lt;"
            + "</e:echo></s:Body></s:Envelope>";

    @TempDir
    static Path folder;

    private static Security security;

    @BeforeAll
    static void create() throws Exception {
        security = Security.create(folder);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String secured() throws InsecureMessageException {
        return text(security.secure(bytes(ENVELOPE)));
    }

    private static String refused(String envelope) {
        return assertThrows(InsecureMessageException.class, () -> security.open(bytes(envelope))).getMessage();
    }

    private static String element(String envelope, String name) {
        return envelope.substring(envelope.indexOf("<" + name), envelope.indexOf("</" + name + ">"))
                + "</" + name + ">";
    }

    @Test
    void whatTheClientSecuredTheEngineReads() throws Exception {
        String secured = secured();
        assertFalse(secured.contains("symbol>"));
        assertTrue(secured.contains("kept"));
        String opened = text(security.open(bytes(secured)));
        assertEquals(element(ENVELOPE, "e:echo"), element(opened, "e:echo"));
        assertTrue(opened.contains("kept"));
        assertFalse(opened.contains("Security"), opened);
    }

    @Test
    void theSameMessageMayComeAgainAndFromManyThreads() throws Exception {
        byte[] secured = bytes(secured());
        byte[] once = security.open(secured);
        IntStream.range(0, 40).parallel().forEach(i -> {
            try {
                assertArrayEquals(once, security.open(secured));
            } catch (InsecureMessageException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void noFileKeepsTheKeys() throws Exception {
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void aPlainMessageIsRefused() {
        assertEquals("there is no security header", refused(ENVELOPE));
    }

    @Test
    void aChangedMessageIsRefused() throws Exception {
        String secured = secured();
        String created = element(secured, "wsu:Created");
        assertNotEquals(secured, secured.replace(created, "<wsu:Created>2020-01-01T00:00:00.000Z</wsu:Created>"));
        refused(secured.replace(created, "<wsu:Created>2020-01-01T00:00:00.000Z</wsu:Created>"));
        int cipher = secured.lastIndexOf("CipherValue>", secured.indexOf("</s:Body>") - 40);
        char letter = secured.charAt(cipher - 60);
        refused(secured.substring(0, cipher - 60) + (letter == 'A' ? 'B' : 'A') + secured.substring(cipher - 59));
    }

    @Test
    void aSignedBodyElsewhereIsNotTheBody() throws Exception {
        String secured = secured();
        int start = secured.indexOf("<s:Body");
        int end = secured.indexOf("</s:Body>") + "</s:Body>".length();
        String body = secured.substring(start, end);
        String wrapped = secured.substring(0, start).replace("</s:Header>", "<w>" + body + "</w></s:Header>")
                + "<s:Body><other/></s:Body></s:Envelope>";
        assertEquals("the body is not signed", refused(wrapped));
    }

    @Test
    void anotherClientIsNotTrusted() throws Exception {
        byte[] others = Security.create(folder).secure(bytes(ENVELOPE));
        assertThrows(InsecureMessageException.class, () -> security.open(others));
    }

    @Test
    void aKeyringHasTheSameKeysForAllWhoAskAndNoneBefore() throws Exception {
        Keyring keyring = new Keyring(folder.resolve("missing"));
        assertThrows(IOException.class, keyring::security);
        Keyring shared = new Keyring(folder);
        List<Security> asked = IntStream.range(0, 4).parallel().mapToObj(i -> {
            try {
                return shared.security();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).distinct().toList();
        assertEquals(1, asked.size());
        assertSame(asked.get(0), shared.security());
    }

    @Test
    void documentTypesAreRefused() {
        String message = refused("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/hostname\">]>"
                + ENVELOPE.replace("IBM", "&b;"));
        assertTrue(message.contains("DOCTYPE"), message);
    }

    @Test
    void whatIsNoEnvelopeIsRefused() {
        assertTrue(refused("<a/>").contains("no SOAP envelope"));
        assertTrue(refused("text").contains("no XML"));
        assertThrows(InsecureMessageException.class, () -> security.secure(bytes("<a/>")));
    }
}
