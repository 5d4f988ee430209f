package perfstudies.aaa.soap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URL;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.dom.DOMSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Reads XML that nobody vouches for, and checks it against a schema. A document type declaration is refused, so there
 * are no entities, and nothing is fetched from outside. Parsers are kept for the next document, because making one
 * costs more than a short document.
 */
public final class SafeXml {

    private static final String NO_DOCTYPE = "http://apache.org/xml/features/disallow-doctype-decl";
    private static final String LOCALE = "http://apache.org/xml/properties/locale";

    private static final ErrorHandler STRICT = new ErrorHandler() {
        @Override
        public void warning(SAXParseException e) {
            // A warning is no reason to refuse a document.
        }

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }

        @Override
        public void fatalError(SAXParseException e) throws SAXException {
            throw e;
        }
    };

    private record Tools(DocumentBuilder builder, Validator validator) {
    }

    private final Schema schema;
    private final Queue<Tools> idle = new ConcurrentLinkedQueue<>();

    /** Checks by the schema in this file of the program. */
    public SafeXml(URL schema) {
        try {
            SchemaFactory factory = SchemaFactory.newDefaultInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
            this.schema = factory.newSchema(schema);
        } catch (SAXException e) {
            throw new IllegalStateException("the schema " + schema + " is wrong: " + e.getMessage(), e);
        }
    }

    /** A document, if the text is well-formed; the exception's message says what is wrong and where. */
    public Document parse(byte[] text) throws SAXException {
        Tools tools = take();
        try {
            return tools.builder.parse(new ByteArrayInputStream(text));
        } catch (SAXParseException e) {
            throw new SAXException("line " + e.getLineNumber() + ", column " + e.getColumnNumber() + ": "
                    + e.getMessage(), e);
        } catch (IOException e) {
            // The text is in memory: what fails is its encoding.
            throw new SAXException(e.getMessage(), e);
        } finally {
            give(tools);
        }
    }

    /** Checks an element; the exception's message says what the schema does not allow. */
    public void validate(Element element) throws SAXException {
        Tools tools = take();
        try {
            tools.validator.validate(new DOMSource(element));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            give(tools);
        }
    }

    private Tools take() {
        Tools tools = idle.poll();
        return tools == null ? make() : tools;
    }

    private void give(Tools tools) {
        tools.builder.reset();
        tools.builder.setErrorHandler(STRICT);
        idle.offer(tools);
    }

    private Tools make() {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultNSInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature(NO_DOCTYPE, true);
            factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
            factory.setXIncludeAware(false);
            factory.setExpandEntityReferences(false);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(STRICT);
            Validator validator = schema.newValidator();
            validator.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            validator.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
            validator.setProperty(LOCALE, Locale.ENGLISH);
            validator.setErrorHandler(STRICT);
            return new Tools(builder, validator);
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalStateException("this JDK's parser cannot be made safe", e);
        }
    }
}
