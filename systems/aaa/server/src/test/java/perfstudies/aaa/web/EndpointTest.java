package perfstudies.aaa.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.ejb.ConcurrentAccessTimeoutException;
import jakarta.ejb.EJBException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Settings;
import perfstudies.aaa.Statistics;
import perfstudies.aaa.UsageException;
import perfstudies.aaa.engine.AaaReply;
import perfstudies.aaa.engine.AaaRequest;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.engine.Engine;
import perfstudies.aaa.modules.ApplicationModule;
import perfstudies.aaa.soap.Soap;
import perfstudies.aaa.soap.Wsdl;

class EndpointTest {

    private static final String SNB = request("SNBpolicy01", "0.1", "<TimerCondition>1</TimerCondition>");

    @TempDir
    private Path folder;

    @Test
    void theStudysRequestIsAnsweredAndRecorded() throws Exception {
        try (TestServer server = start("timer.unit_ms=20", null)) {
            HttpResponse<String> response = post(server, SNB, "2/17");
            assertEquals(200, response.statusCode());
            assertTrue(response.body().contains("<Answer>yes</Answer><Session>aaa-0</Session>"
                    + "<Message>The timer reached 0.</Message>"), response.body());
            double ejbMs = Double.parseDouble(response.headers().firstValue("SOAPAction").orElseThrow());
            assertTrue(ejbMs >= 20 && ejbMs < 5_000, ejbMs + " ms");
        }
        List<String> lines = Files.readAllLines(folder.resolve("server.csv"));
        assertEquals("request,client,number,entered_us,ejb_start_us,asm_start_us,asm_end_us,ejb_end_us,left_us,bean,"
                + "created,beans_busy,threads_busy,db_us,status", lines.get(0));
        assertTrue(lines.get(1).matches("0,2,17(,[0-9]+){6},0,0,1,1,[0-9]+,ok"), lines.get(1));
        String[] values = lines.get(1).split(",");
        assertTrue(Long.parseLong(values[6]) - Long.parseLong(values[5]) >= 20_000, lines.get(1));
        String session = Files.readAllLines(folder.resolve("session.csv")).get(1);
        assertTrue(session.matches("[0-9]+,aaa-0,2,17,SNBpolicy01,,yes,[0-9]+"), session);
    }

    @ParameterizedTest
    @CsvSource({
        "None01,0.1,UnknownPolicy,there is no policy None01",
        "SNBpolicy01,0.2,UnknownPolicy,and this one is of 0.2",
        "Malformed01,0.1,BadPolicy,policy Malformed01 cannot be read",
        "Conditions1,0.1,BadRequest,policy Conditions1 needs TimerCondition",
        "BoDpolicy01,0.1,EquipmentFailed,the setting equipment is missing",
        "Roaming01,0.1,ProviderFailed,the setting roaming.provider is missing",
        "Ticket01,0.1,ServerFailed,the setting ticket.key is missing"})
    void aFaultSaysWhatAndIsRecorded(String type, String version, String fault, String said) throws Exception {
        try (TestServer server = start("", null)) {
            HttpResponse<String> response = post(server, request(type, version,
                    "<User>ann</User><Service>bandwidth</Service><Bandwidth>1</Bandwidth>"), null);
            assertFault(response, fault, said);
            assertTrue(response.headers().firstValue("SOAPAction").isPresent());
        }
        assertTrue(Files.readAllLines(folder.resolve("server.csv")).get(1).endsWith("," + fault));
        assertTrue(Files.readAllLines(folder.resolve("session.csv")).get(1).contains(type + ",ann," + fault));
    }

    @Test
    void aBadRequestDoesNotReachTheEngine() throws Exception {
        try (TestServer server = start("", null)) {
            HttpResponse<String> response = post(server, SNB.replace(">1<", ">soon<"), "0/1");
            assertFault(response, "BadRequest", "&apos;soon&apos;");
            assertTrue(response.headers().firstValue("SOAPAction").isEmpty());
        }
        String line = Files.readAllLines(folder.resolve("server.csv")).get(1);
        assertTrue(line.matches("0,0,1,[0-9]+,,,,,[0-9]+,,,,1,,BadRequest"), line);
        assertEquals(1, Files.readAllLines(folder.resolve("session.csv")).size());
    }

    @Test
    void aContainerWithoutABeanIsAFault() throws Exception {
        ApplicationModule full = (parameters, call) -> {
            throw new ConcurrentAccessTimeoutException("pool of <2>");
        };
        try (TestServer server = start("", full)) {
            assertFault(post(server, SNB, null), "NoBean", "pool of &lt;2&gt;");
        }
        assertTrue(Files.readAllLines(folder.resolve("session.csv")).get(1).contains(",SNBpolicy01,,NoBean,"));
    }

    @Test
    void aContainerWithoutAnEngineIsTheSameFault() throws Exception {
        Engine full = new Engine() {
            @Override
            public void prepare() {
                // nothing to prepare
            }

            @Override
            public AaaReply decide(AaaRequest request, Call call) {
                throw new ConcurrentAccessTimeoutException("pool of 2");
            }
        };
        Deployment deployment = new Deployment(Settings.of(new Properties(), Settings.SERVER));
        List<String> answers = new ArrayList<>();
        new Endpoint(deployment, full).answer(null, null, new ByteArrayInputStream(Soap.envelope(SNB)),
                (status, ejbMs, message) -> answers.add(status + new String(message, StandardCharsets.UTF_8)));
        deployment.close();
        assertTrue(answers.get(0).startsWith("500"), answers.get(0));
        assertTrue(answers.get(0).contains("<AAA:NoBean "), answers.get(0));
    }

    @Test
    void anyOtherFailureIsAFaultToo() throws Exception {
        ApplicationModule broken = (parameters, call) -> {
            throw new EJBException("broken");
        };
        try (TestServer server = start("", broken)) {
            assertFault(post(server, SNB, null), "ServerFailed", "broken");
        }
    }

    @Test
    void aTimerBelowOneIsANo() throws Exception {
        try (TestServer server = start("", null)) {
            HttpResponse<String> response = post(server, SNB.replace(">1<", ">0<"), null);
            assertEquals(200, response.statusCode());
            assertTrue(response.body().contains("<Answer>no</Answer>"), response.body());
            assertTrue(response.body().contains("TimerCondition is 0, and must be at least 1"), response.body());
        }
    }

    @Test
    void cachedPoliciesAreReadOnce() throws Exception {
        try (TestServer server = start("timer.unit_ms=0\npolicy.cache=true", null)) {
            post(server, SNB, null);
            post(server, SNB, null);
        }
        List<String> lines = Files.readAllLines(folder.resolve("server.csv"));
        assertTrue(lines.get(1).matches(".*,[0-9]+,ok"), lines.get(1));
        assertTrue(lines.get(2).endsWith(",,ok"), lines.get(2));
    }

    @Test
    void statisticsCountSinceTheyWereLastAsked() throws Exception {
        try (TestServer server = start("timer.unit_ms=0", null)) {
            post(server, SNB, null);
            post(server, SNB.replace("SNBpolicy01", "None01"), null);
            String first = Statistics.ask();
            assertTrue(first.startsWith("{\"requests\": 2, \"faults\": 1, \"beans_created\": 1, "
                    + "\"beans_destroyed\": 0, \"beans_alive\": 1, \"beans_busy_max\": 1, \"threads_busy_max\": 1, "
                    + "\"database_connections_max\": 1, \"sessions\": 2, \"messages_sent\": 2, "
                    + "\"messages_received\": 2, \"gc_count\": "), first);
            assertTrue(Statistics.ask().startsWith("{\"requests\": 0, \"faults\": 0, \"beans_created\": 0, "));
        }
        assertThrows(UsageException.class, Statistics::ask);
    }

    @Test
    void storedSessionsTakeDatabaseTime() throws Exception {
        try (TestServer server = start("timer.unit_ms=0\nsession.store=true\npolicy.cache=true", null)) {
            post(server, SNB, null);
            post(server, SNB, null);
        }
        String line = Files.readAllLines(folder.resolve("server.csv")).get(2);
        assertTrue(line.matches(".*,[0-9]+,ok"), line);
    }

    @Test
    void theDescriptionHoldsSchemaAndAddress() throws Exception {
        String wsdl = new String(new Wsdl(AaaServlet.class.getResource("aaa.wsdl"),
                AaaServlet.class.getResource("aaa.xsd")).at("http://h:1/?a&b\"<"), StandardCharsets.UTF_8);
        assertTrue(wsdl.contains("location=\"http://h:1/?a&amp;b&quot;&lt;\""));
        assertTrue(wsdl.contains("<xs:element name=\"AAARequest\">"));
        assertEquals(1, wsdl.split("<\\?xml", -1).length - 1);
        assertFalse(wsdl.contains("@SCHEMA@"));
    }

    private TestServer start(String settings, ApplicationModule timer) throws Exception {
        Path file = Files.writeString(folder.resolve("aaa.properties"), settings + "\nserver.log="
                + folder.resolve("server.csv") + "\nsession.log=" + folder.resolve("session.csv") + "\n");
        return new TestServer(Deployment.open(file.toString()), timer);
    }

    private static String request(String type, String version, String arguments) {
        return "<AAA:AAARequest xmlns:AAA=\"" + Soap.AAA + "\" version=\"" + version + "\" type=\"" + type + "\">"
                + arguments + "</AAA:AAARequest>";
    }

    private static HttpResponse<String> post(TestServer server, String content, String name)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address()))
                .POST(HttpRequest.BodyPublishers.ofByteArray(Soap.envelope(content)));
        if (name != null) {
            request.header("X-Request", name);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void assertFault(HttpResponse<String> response, String name, String said) {
        assertEquals(500, response.statusCode());
        assertTrue(response.body().contains("<detail><AAA:" + name + " xmlns"), response.body());
        assertTrue(response.body().contains(said), response.body());
    }
}
