package perfstudies.flight.ws;

import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPMessage;
import jakarta.xml.ws.handler.MessageContext;
import jakarta.xml.ws.handler.soap.SOAPHandler;
import jakarta.xml.ws.handler.soap.SOAPMessageContext;
import java.util.Set;
import javax.xml.namespace.QName;
import org.w3c.dom.Node;
import perfstudies.monitor.Monitor;

/**
 * The monitor's interception point at the SOAP messages, which also notes what the request was and how it ended.
 *
 * <p>The layer is entered before the request's text is parsed and left after the response is made of its objects:
 * both happen when a handler asks for the message, and both are the Web Service layer's work.
 */
public final class MonitorHandler implements SOAPHandler<SOAPMessageContext> {

    private static final String TAG = "soap";
    private static final String ENTERED = MonitorHandler.class.getName() + ".entered";
    private static final String APPLICATION_EXCEPTION = "flightFault";

    private final Monitor monitor;

    public MonitorHandler(Monitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public Set<QName> getHeaders() {
        return Set.of();
    }

    @Override
    public boolean handleMessage(SOAPMessageContext context) {
        if ((Boolean) context.get(MessageContext.MESSAGE_OUTBOUND_PROPERTY)) {
            leave(context, "ok");
        } else {
            enter(context);
        }
        return true;
    }

    @Override
    public boolean handleFault(SOAPMessageContext context) {
        leave(context, APPLICATION_EXCEPTION.equals(faultName(context.getMessage()))
                ? "application exception" : "system error");
        return true;
    }

    /** Called last for every message, and the only call left for one that failed on its way back. */
    @Override
    public void close(MessageContext context) {
        if (context.remove(ENTERED) != null) {
            monitor.context(TAG, "outcome", "system error");
            monitor.exit(TAG);
        }
    }

    private void enter(SOAPMessageContext context) {
        monitor.enter(TAG);
        context.put(ENTERED, true);
        SOAPMessage message = context.getMessage();
        Node operation = firstElement(body(message));
        monitor.context(TAG, "name", operation == null ? "" : operation.getLocalName());
        monitor.context(TAG, "request_logical_length", length(message));
    }

    private void leave(SOAPMessageContext context, String outcome) {
        if (context.remove(ENTERED) != null) {
            monitor.context(TAG, "response_logical_length", length(context.getMessage()));
            monitor.context(TAG, "outcome", outcome);
            monitor.exit(TAG);
        }
    }

    private static String length(SOAPMessage message) {
        return Integer.toString(LogicalLength.of(message.getSOAPPart().getDocumentElement()) - addedHeader(message));
    }

    /** The length of the empty header that a message gets on being handed to a handler, and that nobody sent. */
    private static int addedHeader(SOAPMessage message) {
        try {
            Node header = message.getSOAPHeader();
            return header == null || header.hasChildNodes() ? 0 : LogicalLength.of(header);
        } catch (SOAPException e) {
            throw new IllegalStateException("a SOAP message without an envelope", e);
        }
    }

    /** The name of the first entry in a fault's detail, which is how the contract tells its faults apart. */
    private static String faultName(SOAPMessage message) {
        Node fault = firstElement(body(message));
        for (Node part = fault.getFirstChild(); part != null; part = part.getNextSibling()) {
            if ("detail".equals(part.getLocalName())) {
                Node entry = firstElement(part);
                return entry == null ? null : entry.getLocalName();
            }
        }
        return null;
    }

    private static Node body(SOAPMessage message) {
        try {
            return message.getSOAPBody();
        } catch (SOAPException e) {
            throw new IllegalStateException("a SOAP message without a body", e);
        }
    }

    private static Node firstElement(Node parent) {
        Node child = parent.getFirstChild();
        while (child != null && child.getNodeType() != Node.ELEMENT_NODE) {
            child = child.getNextSibling();
        }
        return child;
    }
}
