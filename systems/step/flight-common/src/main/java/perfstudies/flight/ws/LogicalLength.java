package perfstudies.flight.ws;

import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;

/**
 * The study's logical length of an XML message: the characters of all its tag names, attribute names and text nodes.
 *
 * <p>It measures what a message says and not how it is written: an element's name counts once, whether it has an end
 * tag or not, prefixes and namespace declarations do not count, and neither does white space between elements.
 */
final class LogicalLength {

    private static final String DECLARATIONS = "http://www.w3.org/2000/xmlns/";

    private LogicalLength() {
    }

    /** The length, in characters, of a node and all that it contains. */
    static int of(Node root) {
        int length = 0;
        Node node = root;
        while (node != null) {
            length += own(node);
            node = next(node, root);
        }
        return length;
    }

    private static int own(Node node) {
        return switch (node.getNodeType()) {
            case Node.ELEMENT_NODE -> node.getLocalName().length() + attributes(node);
            case Node.TEXT_NODE, Node.CDATA_SECTION_NODE ->
                    node.getNodeValue().isBlank() ? 0 : node.getNodeValue().length();
            default -> 0;
        };
    }

    private static int attributes(Node element) {
        NamedNodeMap attributes = element.getAttributes();
        int length = 0;
        for (int i = 0; i < attributes.getLength(); i++) {
            Node attribute = attributes.item(i);
            if (!DECLARATIONS.equals(attribute.getNamespaceURI())) {
                length += attribute.getLocalName().length();
            }
        }
        return length;
    }

    /** The next node in document order, without recursion: the depth of a message is its sender's choice. */
    private static Node next(Node node, Node root) {
        if (node.getFirstChild() != null) {
            return node.getFirstChild();
        }
        Node up = node;
        while (up != null && up != root) {
            if (up.getNextSibling() != null) {
                return up.getNextSibling();
            }
            up = up.getParentNode();
        }
        return null;
    }
}
