package perfstudies.esb.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/** Trees from bytes and back. A document type, and so any entity and anything external, is refused. */
final class Xml {

    /** The JDK's own parser: another one on the class path might not know the features. */
    private static final ThreadLocal<DocumentBuilder> BUILDERS = ThreadLocal.withInitial(Xml::builder);
    private static final ThreadLocal<Transformer> TRANSFORMERS = ThreadLocal.withInitial(Xml::transformer);

    private Xml() {
    }

    static Document parse(byte[] text) throws SAXException {
        try {
            return BUILDERS.get().parse(new ByteArrayInputStream(text));
        } catch (IOException e) {
            // An encoding that there is not, or bytes that are none of it: no error of input, which is in memory.
            throw new SAXException(e);
        }
    }

    static byte[] bytes(Document document) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            TRANSFORMERS.get().transform(new DOMSource(document), new StreamResult(bytes));
        } catch (TransformerException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    private static DocumentBuilder builder() {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        factory.setXIncludeAware(false);
        factory.setExpandEntityReferences(false);
        try {
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
            factory.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new Thrower());
            return builder;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Transformer transformer() {
        try {
            Transformer transformer = TransformerFactory.newDefaultInstance().newTransformer();
            transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
            return transformer;
        } catch (TransformerConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The parser's own handler writes to the standard error as well. */
    private static final class Thrower implements ErrorHandler {

        @Override
        public void warning(SAXParseException exception) {
            // Of no consequence to a message.
        }

        @Override
        public void error(SAXParseException exception) throws SAXException {
            throw exception;
        }

        @Override
        public void fatalError(SAXParseException exception) throws SAXException {
            throw exception;
        }
    }
}
