package perfstudies.aaa.soap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.web.AaaServlet;

class SoapTest {

    /** The study's Appendix C, without the slash that its TimerAction begins with there. */
    private static final String APPENDIX_C = "<AAA:AAARequest xmlns:AAA=\"http://www.AAA.org/ns/AAA_BoD\" "
            + "xmlns:xsi =\"http://www.w3.org/2001/XMLSchema-instance\" "
            + "xsi:schemaLocation=\"http://www.AAA.org/ns/AAA_BoD http://195.169.124.61/SNBrequest01.xsd\" "
            + "version=\"0.1\" type=\"SNBpolicy01\" >\n\n<TimerCondition>40</TimerCondition>"
            + "<TimerAction>10</TimerAction>\n\n</AAA:AAARequest>";

    private final SafeXml xml = new SafeXml(AaaServlet.class.getResource("aaa.xsd"));

    @Test
    void theStudysRequestIsValid() throws Exception {
        Element request = Soap.request(Soap.envelope(APPENDIX_C), xml);
        assertEquals("SNBpolicy01", request.getAttribute("type"));
        assertEquals("40", Xml.text(request, "TimerCondition"));
        assertEquals("10", Xml.text(request, "TimerAction"));
    }

    static Stream<Arguments> invalid() {
        String start = "<AAA:AAARequest xmlns:AAA=\"" + Soap.AAA + "\" version=\"0.1\" type=\"SNBpolicy01\">";
        String end = "</AAA:AAARequest>";
        return Stream.of(
                Arguments.of(start.replace(" type=\"SNBpolicy01\"", "") + end, "type"),
                Arguments.of(start.replace(" version=\"0.1\"", "") + end, "version"),
                Arguments.of(start + "<TimerCondition>soon</TimerCondition>" + end, "soon"),
                Arguments.of(start + "<TimerCondition>-1</TimerCondition>" + end, "-1"),
                Arguments.of(start + "<TimerCondition>1</TimerCondition><TimerCondition>1</TimerCondition>" + end,
                        "TimerCondition"),
                Arguments.of(start + "<TimerReaction>1</TimerReaction>" + end, "TimerReaction"),
                Arguments.of(start + "<AAA:TimerCondition>1</AAA:TimerCondition>" + end, "TimerCondition"),
                Arguments.of(start + "<User>a,b</User>" + end, "a,b"),
                Arguments.of(start + "<User>a\nb</User>" + end, "not facet-valid"),
                Arguments.of("<Other/>", "Other"),
                Arguments.of("", "one element"),
                Arguments.of(start + end + start + end, "one element"),
                Arguments.of(start, "AAARequest"),
                Arguments.of("&unknown;", "unknown"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void aBadRequestSaysWhatIsWrong(String content, String said) {
        refused(Soap.envelope(content), said);
    }

    @Test
    void anotherRootIsRefused() {
        refused(APPENDIX_C.getBytes(StandardCharsets.UTF_8), "the root must be Envelope");
        String newer = new String(Soap.envelope(APPENDIX_C), StandardCharsets.UTF_8)
                .replace(Soap.NAMESPACE, "http://www.w3.org/2003/05/soap-envelope");
        refused(newer.getBytes(StandardCharsets.UTF_8), "the root must be Envelope");
        refused(new byte[0], "line");
    }

    @Test
    void aHeaderMayBeThereUnlessItMustBeUnderstood() throws Exception {
        String header = "<soap:Header><a:Trace xmlns:a=\"urn:a\"/></soap:Header>";
        Soap.request(withHeader(header), xml);
        refused(withHeader(header.replace("<a:Trace", "<a:Trace soap:mustUnderstand=\"1\"")),
                "Trace must be understood");
    }

    private static byte[] withHeader(String header) {
        return new String(Soap.envelope(APPENDIX_C), StandardCharsets.UTF_8)
                .replace("<soap:Body>", header + "<soap:Body>").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void externalEntitiesAreNotRead(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "17");
        String attack = new String(Soap.envelope(APPENDIX_C.replace("40", "&secret;")), StandardCharsets.UTF_8)
                .replace("?>", "?><!DOCTYPE e [<!ENTITY secret SYSTEM \"" + secret.toUri() + "\">]>");
        refused(attack.getBytes(StandardCharsets.UTF_8), "DOCTYPE");
    }

    @Test
    void entitiesThatMultiplyAreRefused() {
        String attack = new String(Soap.envelope(APPENDIX_C.replace("40", "&b;")), StandardCharsets.UTF_8)
                .replace("?>", "?><!DOCTYPE e [<!ENTITY a \"1\"><!ENTITY b \"&a;&a;&a;\">]>");
        refused(attack.getBytes(StandardCharsets.UTF_8), "DOCTYPE");
    }

    @Test
    void deepNestingIsRefusedWithoutHarm() {
        int depth = 100_000;
        refused(Soap.envelope("<a>".repeat(depth) + "</a>".repeat(depth)), "");
    }

    @Test
    void aMessageHasAMaximalLength() throws Exception {
        byte[] longest = new byte[Soap.MAXIMUM_BYTES];
        assertEquals(longest.length, Soap.read(new ByteArrayInputStream(longest)).length);
        Refusal e = assertThrows(Refusal.class,
                () -> Soap.read(new ByteArrayInputStream(new byte[Soap.MAXIMUM_BYTES + 1])));
        assertEquals(FaultName.BadRequest, e.fault());
    }

    @Test
    void parsersServeManyThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Boolean> task = () -> {
                Element good = Soap.request(Soap.envelope(APPENDIX_C), xml);
                assertThrows(Refusal.class, () -> Soap.request(Soap.envelope("<Other/>"), xml));
                return Xml.text(good, "TimerCondition").equals("40");
            };
            for (var result : threads.invokeAll(Collections.nCopies(400, task))) {
                assertTrue(result.get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aFaultNamesItselfAndKeepsItsTextWhole() throws Exception {
        String text = "a <b> & \"c\" ]]> 'd' \u00e9 \ud83d\ude00";
        byte[] fault = Soap.fault(FaultName.UnknownPolicy, text + "\u0000");
        Element element = Soap.content(xml.parse(fault));
        assertEquals("soap:Client", Xml.text(element, "faultcode"));
        assertEquals("UnknownPolicy: " + text + "\ufffd", Xml.text(element, "faultstring"));
        Element detail = Xml.children(Xml.children(element).get(2)).get(0);
        assertTrue(Xml.is(detail, Soap.AAA, "UnknownPolicy"));
        assertEquals(text + "\ufffd", detail.getTextContent());
    }

    @Test
    void aFaultOfTheServerIsNotTheClients() {
        String fault = new String(Soap.fault(FaultName.NoBean, "x"), StandardCharsets.UTF_8);
        assertTrue(fault.contains("<faultcode>soap:Server</faultcode>"));
        assertFalse(fault.contains("soap:Client"));
    }

    private void refused(byte[] message, String said) {
        Refusal e = assertThrows(Refusal.class, () -> Soap.request(message, xml));
        assertEquals(FaultName.BadRequest, e.fault());
        assertTrue(e.getMessage().contains(said), e.getMessage());
    }
}
