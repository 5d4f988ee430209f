package perfstudies.esb.camel;

import java.nio.charset.StandardCharsets;

/** The messages that the tests send. */
final class Messages {

    private Messages() {
    }

    /** An order of a stock, with padding of a length and characters of more than one byte. */
    static String echo(String symbol, int padding) {
        return envelope("", body("", "echo", "order", symbol, padding));
    }

    static String envelope(String header, String body) {
        return "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">" + header + "<s:Body>" + body
                + "</s:Body></s:Envelope>";
    }

    static String routed(String routing) {
        return envelope("<s:Header><other/><r:routing xmlns:r=\"http://perfstudies/esb/routing\">" + routing
                + "</r:routing></s:Header>", body("", "echo", "order", "IBM", 0));
    }

    /** What a body has in it, with a prefix and a colon, or with neither. */
    static String body(String prefix, String root, String element, String symbol, int padding) {
        String text = "<%root xmlns" + (prefix.isEmpty() ? "" : ":" + prefix.replace(":", ""))
                + "=\"http://perfstudies/esb\">" + order(symbol) + order("IBM") + "<%padding>" + "é".repeat(padding)
                + "</%padding></%root>";
        return text.replace("%root", "%" + root).replace("%order", "%" + element).replace("%", prefix);
    }

    private static String order(String symbol) {
        return "<%order><%symbol>" + symbol
                + "</%symbol><%buyer>Zoë</%buyer><%price>1.50</%price><%volume>7</%volume></%order>";
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
