package perfstudies.aaa.soap;

import java.io.IOException;
import org.w3c.dom.Element;

/** Messages to an AAA server, for the parties that ask one: the service equipment, and another AAA server. */
public final class AaaMessages {

    private static final String VERSION = "0.1";

    private AaaMessages() {
    }

    /** A request for bandwidth; a duration that is null or empty is left out. */
    public static String request(String policy, String user, String bandwidth, String duration, String session) {
        return "<AAA:AAARequest xmlns:AAA=\"" + Soap.AAA + "\" version=\"" + VERSION + "\" type=\""
                + Xml.escape(policy) + "\">" + Xml.element("User", user) + Xml.element("Bandwidth", bandwidth)
                + Xml.element("Duration", duration) + Xml.element("Session", session) + "</AAA:AAARequest>";
    }

    /**
     * Whether the reply says yes.
     *
     * @throws IOException if it is no reply of an AAA server
     */
    public static boolean granted(Element reply) throws IOException {
        String answer = Xml.is(reply, Soap.AAA, "AAAReply") ? Xml.text(reply, "Answer") : "";
        if (!answer.equals("yes") && !answer.equals("no")) {
            throw new IOException("the AAA server answered " + reply.getLocalName() + " " + answer);
        }
        return answer.equals("yes");
    }
}
