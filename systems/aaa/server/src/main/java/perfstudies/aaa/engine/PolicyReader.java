package perfstudies.aaa.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.soap.SafeXml;
import perfstudies.aaa.soap.Xml;

/** Reads policies from their documents, which policy.xsd describes. */
public final class PolicyReader {

    private static final SafeXml XML = new SafeXml(PolicyReader.class.getResource("policy.xsd"));

    private PolicyReader() {
    }

    /**
     * Reads one policy.
     *
     * @throws Refusal BadPolicy, if the document is not well-formed, not valid, or of another policy
     */
    public static Policy read(String type, String document) throws Refusal {
        try {
            Element root = XML.parse(document.getBytes(StandardCharsets.UTF_8)).getDocumentElement();
            XML.validate(root);
            Policy policy = policy(root);
            if (!policy.type().equals(type)) {
                throw new SAXException("its document is of " + policy.type());
            }
            return policy;
        } catch (SAXException e) {
            throw new Refusal(FaultName.BadPolicy, "policy " + type + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static Policy policy(Element root) throws SAXException {
        List<List<Policy.Step>> parts = new ArrayList<>();
        for (Element part : Xml.children(root)) {
            List<Policy.Step> steps = new ArrayList<>();
            for (Element step : Xml.children(part)) {
                steps.add(step(step));
            }
            parts.add(List.copyOf(steps));
        }
        return new Policy(root.getAttribute("type").strip(), root.getAttribute("version").strip(), parts.get(0),
                parts.get(1));
    }

    private static Policy.Step step(Element element) throws SAXException {
        return switch (element.getLocalName()) {
            case "Present" -> new Policy.Present(text(element, "argument"));
            case "Compare" -> compare(text(element, "argument"), text(element, "is"), text(element, "value"));
            case "Call" -> new Policy.CallModule(text(element, "module"), parameters(element),
                    optional(element), text(element, "result"));
            case "Return" -> new Policy.Return(text(element, "value"), text(element, "message"));
            default -> throw new IllegalStateException("the schema allows " + element.getLocalName());
        };
    }

    private static Policy.Step compare(String argument, String is, String value) throws SAXException {
        Policy.Operator operator = Policy.Operator.valueOf(is.toUpperCase(Locale.ROOT).replace('-', '_'));
        if (operator != Policy.Operator.EQUAL && !value.matches("-?[0-9]{1,18}")) {
            throw new SAXException(argument + " is compared to " + value + ", which is no whole number");
        }
        return new Policy.Compare(argument, operator, value);
    }

    private static Map<String, String> parameters(Element call) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (Element parameter : Xml.children(call)) {
            parameters.put(text(parameter, "name"), text(parameter, "from"));
        }
        return parameters;
    }

    private static Set<String> optional(Element call) {
        return Xml.children(call).stream().filter(parameter -> "true".equals(text(parameter, "optional")))
                .map(parameter -> text(parameter, "name")).collect(Collectors.toUnmodifiableSet());
    }

    private static String text(Element element, String attribute) {
        return element.hasAttribute(attribute) ? element.getAttribute(attribute).strip() : null;
    }
}
