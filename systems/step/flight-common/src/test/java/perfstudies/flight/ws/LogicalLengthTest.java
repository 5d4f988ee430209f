package perfstudies.flight.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class LogicalLengthTest {

    @Test
    void sumsTagNamesAttributeNamesAndTexts() throws Exception {
        // b + item + kind + "12 3" + item
        assertEquals(1 + 4 + 4 + 4 + 4, length("<b><item kind='long value'>12 3</item><item/></b>"));
    }

    @Test
    void doesNotDependOnHowTheMessageIsWritten() throws Exception {
        int plain = length("<a><b>text</b></a>");

        assertEquals(plain, length("<a>\n  <b>text</b>\n</a>\n"), "white space between elements");
        assertEquals(plain, length("<p:a xmlns:p='urn:x'><p:b>text</p:b></p:a>"), "prefixes and declarations");
        assertEquals(plain, length("<a xmlns='urn:x'><b><![CDATA[text]]></b><!-- no --></a>"), "comments");
    }

    @Test
    void takesTextsAsTheyStand() throws Exception {
        assertEquals(1 + 6, length("<a> text </a>"));
        assertEquals(1 + 1, length("<a>&amp;</a>"));
    }

    @Test
    void takesAnyDepth() throws Exception {
        int depth = 2500;

        assertEquals(depth, length("<a>".repeat(depth) + "</a>".repeat(depth)));
    }

    private static int length(String xml) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return LogicalLength.of(factory.newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml))).getDocumentElement());
    }
}
