package perfstudies.esb.axis2client;

import javax.xml.namespace.QName;
import org.apache.axiom.om.OMAbstractFactory;
import org.apache.axiom.om.OMElement;
import org.apache.axiom.om.OMFactory;
import org.apache.axiom.om.OMNamespace;

/** The back end's message: orders whose volume is the call's number, so that an answer tells whose it is. */
final class Messages {

    private static final String NAMESPACE = "http://perfstudies/esb";

    private Messages() {
    }

    static OMElement echo(int number, int orders, int padding) {
        OMFactory factory = OMAbstractFactory.getOMFactory();
        OMNamespace namespace = factory.createOMNamespace(NAMESPACE, "m");
        OMElement echo = factory.createOMElement("echo", namespace);
        for (int place = 0; place < orders; place++) {
            OMElement order = factory.createOMElement("order", namespace, echo);
            text(factory, namespace, order, "symbol", "IBM");
            text(factory, namespace, order, "buyer", "buyer");
            text(factory, namespace, order, "price", "82.5");
            text(factory, namespace, order, "volume", String.valueOf(number));
        }
        if (padding > 0) {
            text(factory, namespace, echo, "padding", "x".repeat(padding));
        }
        return echo;
    }

    /** Reads an answer to its end and returns what is wrong with it, or nothing. */
    static String problem(OMElement answer, int number) {
        if (answer == null) {
            return "an answer without content";
        }
        answer.build();
        OMElement order = answer.getFirstChildWithName(new QName(NAMESPACE, "order"));
        OMElement volume = order == null ? null : order.getFirstChildWithName(new QName(NAMESPACE, "volume"));
        if (volume == null) {
            return "an answer without a volume";
        }
        return volume.getText().equals(String.valueOf(number)) ? "" : "the answer to call " + volume.getText();
    }

    private static void text(OMFactory factory, OMNamespace namespace, OMElement parent, String name, String value) {
        factory.createOMElement(name, namespace, parent).setText(value);
    }
}
