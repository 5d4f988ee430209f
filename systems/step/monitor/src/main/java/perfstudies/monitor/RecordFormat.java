package perfstudies.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The text of records: a request is a line a layer, in alphabetical order, and a blank line; a single visit is a line.
 *
 * <pre>
 * tag[soap] accTime[1506191620ns] context[name=searchFlights,outcome=ok]
 *
 * tag[hibernate.load] start[81230041557] elapsed[5120] context[]
 * </pre>
 *
 * The characters that mean something in a line are percent-encoded in keys and values, so that any text can be read
 * back and no value can end a line or forge a record.
 */
final class RecordFormat {

    private static final String RESERVED = "%[],=";

    private RecordFormat() {
    }

    /** The line of one visit: its start on the monitor's clock and how long it lasted. */
    static String visit(String tag, long startNs, long elapsedNs, Map<String, String> context) {
        StringBuilder text = new StringBuilder(128);
        text.append("tag[").append(tag).append("] start[").append(startNs).append("] elapsed[").append(elapsedNs)
                .append("] context[");
        appendContext(text, context);
        return text.append("]\n").toString();
    }

    /** The text of a context alone. */
    static String context(Map<String, String> context) {
        StringBuilder text = new StringBuilder();
        appendContext(text, context);
        return text.toString();
    }

    static String format(Iterable<Layer> layers) {
        StringBuilder text = new StringBuilder(512);
        for (Layer layer : layers) {
            text.append("tag[").append(layer.tag).append("] accTime[").append(layer.totalNs()).append("ns] context[");
            appendContext(text, layer.context);
            text.append("]\n");
        }
        return text.append('\n').toString();
    }

    private static void appendContext(StringBuilder text, Map<String, String> context) {
        String separator = "";
        for (Map.Entry<String, String> entry : context.entrySet()) {
            text.append(separator);
            appendEncoded(text, entry.getKey());
            text.append('=');
            appendEncoded(text, entry.getValue());
            separator = ",";
        }
    }

    private static void appendEncoded(StringBuilder text, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (RESERVED.indexOf(c) < 0 && !Character.isISOControl(c)) {
                text.append(c);
                continue;
            }
            for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
                text.append(String.format("%%%02X", b));
            }
        }
    }
}
