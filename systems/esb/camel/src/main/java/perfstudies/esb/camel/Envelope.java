package perfstudies.esb.camel;

import java.io.InputStream;
import java.util.Optional;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** What a message is routed by. It is read only as far as that. */
final class Envelope {

    private static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
    private static final String STUDY = "http://perfstudies/esb";
    private static final QName ENVELOPE = new QName(SOAP, "Envelope");
    private static final QName[] SYMBOL = {ENVELOPE, new QName(SOAP, "Body"), new QName(STUDY, "echo"),
        new QName(STUDY, "order"), new QName(STUDY, "symbol")};
    private static final QName[] ROUTING = {ENVELOPE, new QName(SOAP, "Header"),
        new QName(STUDY + "/routing", "routing")};

    private static final XMLInputFactory READERS = readers();

    private Envelope() {
    }

    /** Returns the first order's symbol, if there is one. */
    static Optional<String> symbol(InputStream message) throws XMLStreamException {
        return text(message, SYMBOL);
    }

    /** Returns the text of the header element for routing, if there is one. */
    static Optional<String> routing(InputStream message) throws XMLStreamException {
        return text(message, ROUTING);
    }

    private static Optional<String> text(InputStream message, QName[] path) throws XMLStreamException {
        XMLStreamReader reader = READERS.createXMLStreamReader(message);
        try {
            int found = 0;
            int aside = 0;
            while (reader.hasNext()) {
                switch (reader.next()) {
                    case XMLStreamConstants.DTD -> throw new XMLStreamException("a message has no document type");
                    case XMLStreamConstants.START_ELEMENT -> {
                        if (aside > 0 || !reader.getName().equals(path[found])) {
                            aside++;
                        } else if (++found == path.length) {
                            return Optional.of(reader.getElementText().strip());
                        }
                    }
                    case XMLStreamConstants.END_ELEMENT -> {
                        if (aside == 0) {
                            return Optional.empty();
                        }
                        aside--;
                    }
                    default -> {
                        // Text between elements, comments.
                    }
                }
            }
            return Optional.empty();
        } finally {
            reader.close();
        }
    }

    private static XMLInputFactory readers() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory;
    }
}
