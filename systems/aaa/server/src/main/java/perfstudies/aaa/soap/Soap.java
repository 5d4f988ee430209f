package perfstudies.aaa.soap;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;

/** SOAP 1.1 messages. */
public final class Soap {

    public static final String NAMESPACE = "http://schemas.xmlsoap.org/soap/envelope/";
    /** The namespace of the study's request, which the replies and the faults' details have too. */
    public static final String AAA = "http://www.AAA.org/ns/AAA_BoD";
    public static final String CONTENT_TYPE = "text/xml; charset=utf-8";
    public static final int MAXIMUM_BYTES = 1 << 20;

    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<soap:Envelope xmlns:soap=\"" + NAMESPACE + "\"><soap:Body>";
    private static final String TAIL = "</soap:Body></soap:Envelope>\n";

    private Soap() {
    }

    /** A message of at most {@link #MAXIMUM_BYTES}. */
    public static byte[] read(InputStream input) throws IOException, Refusal {
        byte[] message = input.readNBytes(MAXIMUM_BYTES + 1);
        if (message.length > MAXIMUM_BYTES) {
            throw new Refusal(FaultName.BadRequest, "the message is longer than " + MAXIMUM_BYTES + " bytes");
        }
        return message;
    }

    /**
     * What a request's body holds: one element, which the schema allows.
     *
     * @throws Refusal BadRequest, if the message is anything else
     */
    public static Element request(byte[] message, SafeXml xml) throws Refusal {
        try {
            Element content = content(xml.parse(message));
            xml.validate(content);
            return content;
        } catch (SAXException e) {
            throw new Refusal(FaultName.BadRequest, "the message is not valid: " + e.getMessage(), e);
        }
    }

    /** What a message's body holds, whatever it is. */
    static Element content(Document document) throws SAXException {
        Element envelope = document.getDocumentElement();
        if (!Xml.is(envelope, NAMESPACE, "Envelope")) {
            throw new SAXException("the root must be Envelope of " + NAMESPACE + ", and is "
                    + envelope.getLocalName() + " of " + envelope.getNamespaceURI());
        }
        Element body = null;
        for (Element part : Xml.children(envelope)) {
            if (Xml.is(part, NAMESPACE, "Header") && body == null) {
                understand(part);
            } else if (Xml.is(part, NAMESPACE, "Body") && body == null) {
                body = part;
            } else {
                throw new SAXException("the envelope has an unexpected " + part.getLocalName());
            }
        }
        List<Element> contents = body == null ? List.of() : Xml.children(body);
        if (contents.size() != 1) {
            throw new SAXException("the envelope needs a body with one element, and has " + contents.size());
        }
        return contents.get(0);
    }

    private static void understand(Element header) throws SAXException {
        for (Element entry : Xml.children(header)) {
            if (entry.getAttributeNS(NAMESPACE, "mustUnderstand").equals("1")) {
                throw new SAXException("the header " + entry.getLocalName() + " must be understood, and is not");
            }
        }
    }

    /** An envelope around a body's content, which is XML already. */
    public static byte[] envelope(String content) {
        return (HEAD + content + TAIL).getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] fault(FaultName name, String text) {
        String code = name.byClient() ? "soap:Client" : "soap:Server";
        return envelope("<soap:Fault><faultcode>" + code + "</faultcode><faultstring>" + Xml.escape(name + ": " + text)
                + "</faultstring><detail><AAA:" + name + " xmlns:AAA=\"" + AAA + "\">" + Xml.escape(text)
                + "</AAA:" + name + "></detail></soap:Fault>");
    }
}
