package perfstudies.aaa.engine;

import java.util.List;
import java.util.Map;
import perfstudies.aaa.soap.Soap;
import perfstudies.aaa.soap.Xml;

/**
 * The engine's answer.
 *
 * @param granted whether all of the policy holds
 * @param values what the policy returns beside it, by the reply's element
 */
public record AaaReply(AaaRequest request, String session, boolean granted, List<String> messages,
        Map<String, String> values) {

    public String answer() {
        return granted ? "yes" : "no";
    }

    /** The element for a message's body. */
    public String xml() {
        StringBuilder xml = new StringBuilder("<AAA:AAAReply xmlns:AAA=\"" + Soap.AAA + "\" version=\""
                + Xml.escape(request.version()) + "\" type=\"" + Xml.escape(request.type()) + "\">");
        xml.append(Xml.element("Answer", answer())).append(Xml.element("Session", session));
        messages.forEach(message -> xml.append(Xml.element("Message", message)));
        for (String name : List.of("Reservation", "Ticket")) {
            xml.append(Xml.element(name, values.get(name)));
        }
        return xml.append("</AAA:AAAReply>").toString();
    }
}
