package perfstudies.aaa.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import org.w3c.dom.Element;
import perfstudies.aaa.soap.Xml;

/**
 * A request: which policy drives it, and its arguments by name.
 *
 * @param session the session that it belongs to already, or empty
 */
public record AaaRequest(String type, String version, Map<String, String> arguments, String session) {

    private static final String SESSION = "Session";

    /** Reads an element that the schema allows. */
    public static AaaRequest of(Element element) {
        Map<String, String> arguments = new LinkedHashMap<>();
        for (Element child : Xml.children(element)) {
            arguments.put(child.getLocalName(), child.getTextContent().strip());
        }
        String session = arguments.containsKey(SESSION) ? arguments.remove(SESSION) : "";
        return new AaaRequest(element.getAttribute("type").strip(), element.getAttribute("version").strip(),
                arguments, session);
    }
}
