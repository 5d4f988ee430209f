package perfstudies.esb.camel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Processor;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;

/** Changes a message by a stylesheet, which is compiled once. A message with a document type is refused. */
final class Stylesheet implements Processor {

    private static final ThreadLocal<XMLReader> READERS = ThreadLocal.withInitial(Stylesheet::reader);

    private final Templates templates;

    /** Compiles a file beside this class. */
    Stylesheet(String name) throws IOException, TransformerConfigurationException {
        TransformerFactory factory = TransformerFactory.newDefaultInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_STYLESHEET, "");
        factory.setErrorListener(new Thrower());
        try (InputStream text = Stylesheet.class.getResourceAsStream(name)) {
            templates = factory.newTemplates(new StreamSource(text));
        }
    }

    @Override
    public void process(Exchange exchange) throws Exception {
        Message message = exchange.getMessage();
        message.setBody(apply(message.getMandatoryBody(InputStream.class)));
        message.setHeader(Exchange.CONTENT_TYPE, Fault.CONTENT_TYPE);
    }

    byte[] apply(InputStream text) throws TransformerException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        var transformer = templates.newTransformer();
        transformer.setErrorListener(new Thrower());
        transformer.transform(new SAXSource(READERS.get(), new InputSource(text)), new StreamResult(bytes));
        return bytes.toByteArray();
    }

    private static XMLReader reader() {
        try {
            SAXParserFactory factory = SAXParserFactory.newDefaultNSInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
            factory.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
            return factory.newSAXParser().getXMLReader();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException(e);
        }
    }
}
