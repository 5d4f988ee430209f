package perfstudies.aaa.soap;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.MessageLog;

/** Calls other parties over connections that stay open, and logs both messages of each call. */
public final class SoapClient {

    private final MessageLog messages;
    private final Duration timeout;
    /** Replies are only parsed: their readers take from them what they need, or complain. */
    private final SafeXml xml = new SafeXml(SoapClient.class.getResource("any.xsd"));
    /** Has threads of its own, so it is only made for the first call. */
    private HttpClient http;

    public SoapClient(MessageLog messages, long timeoutMs) {
        this.messages = messages;
        timeout = Duration.ofMillis(timeoutMs);
    }

    /**
     * Sends an element and waits for the reply's.
     *
     * @param peer the other party's name in the log
     * @throws SoapFault if the other party answers with a fault; its message is the fault's
     * @throws IOException if there is no answer in time, or one that is not SOAP
     */
    public Element call(String address, String peer, String operation, String content, String session)
            throws IOException, SoapFault {
        HttpRequest request = request(address, content);
        messages.sent(peer, operation, session);
        Element reply;
        try {
            HttpResponse<InputStream> response = http().send(request, BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                reply = Soap.content(xml.parse(Soap.read(body)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("waiting for " + address + " was interrupted", e);
        } catch (SAXException | Refusal e) {
            throw new IOException(address + " answered something else than SOAP: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(address + " cannot be asked: " + e, e);
        }
        boolean fault = Xml.is(reply, Soap.NAMESPACE, "Fault");
        messages.received(MessageLog.nowUs(), peer, fault ? "Fault" : reply.getLocalName(), session);
        if (fault) {
            throw new SoapFault(Xml.text(reply, "faultstring"));
        }
        return reply;
    }

    private synchronized HttpClient http() {
        if (http == null) {
            // The parties are on one machine: a proxy that is set for others must not be asked.
            http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY)
                    .connectTimeout(timeout).build();
        }
        return http;
    }

    private HttpRequest request(String address, String content) throws IOException {
        try {
            return HttpRequest.newBuilder(URI.create(address)).timeout(timeout)
                    .header("Content-Type", Soap.CONTENT_TYPE).header("SOAPAction", "\"\"")
                    .header(MessageLog.PARTY_HEADER, messages.party())
                    .POST(BodyPublishers.ofByteArray(Soap.envelope(content))).build();
        } catch (IllegalArgumentException e) {
            throw new IOException(address + " is no address: " + e.getMessage(), e);
        }
    }
}
