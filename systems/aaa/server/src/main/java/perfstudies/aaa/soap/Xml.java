package perfstudies.aaa.soap;

import java.util.ArrayList;
import java.util.List;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** Small helps with XML: text that is safe to write, and an element's child elements. */
public final class Xml {

    private static final int REPLACEMENT = 0xFFFD;

    private Xml() {
    }

    /** A text as an element's or an attribute's content; characters that XML cannot have become U+FFFD. */
    public static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(character -> {
            switch (character) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&apos;");
                case '\t', '\n', '\r' -> escaped.append("&#").append(character).append(';');
                default -> escaped.appendCodePoint(allowed(character) ? character : REPLACEMENT);
            }
        });
        return escaped.toString();
    }

    private static boolean allowed(int character) {
        return character >= 0x20 && character <= 0xD7FF || character >= 0xE000 && character <= 0xFFFD
                || character >= 0x10000;
    }

    /** An element with text, or nothing for a value that is null or empty. */
    public static String element(String name, String value) {
        return value == null || value.isEmpty() ? "" : "<" + name + ">" + escape(value) + "</" + name + ">";
    }

    public static List<Element> children(Node parent) {
        List<Element> children = new ArrayList<>();
        for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    /** The text of the first child of this name, or an empty text. */
    public static String text(Element parent, String name) {
        return children(parent).stream().filter(child -> child.getLocalName().equals(name))
                .map(child -> child.getTextContent().strip()).findFirst().orElse("");
    }

    public static boolean is(Element element, String namespace, String name) {
        return namespace.equals(element.getNamespaceURI()) && name.equals(element.getLocalName());
    }
}
