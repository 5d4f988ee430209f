package perfstudies.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The text of a request record: one line a layer, in alphabetical order, and a blank line.
 *
 * <pre>
 * tag[soap] accTime[1506191620ns] context[name=searchFlights,outcome=ok]
 * </pre>
 *
 * The characters that mean something in a line are percent-encoded in keys and values, so that any text can be read
 * back and no value can end a line or forge a record.
 */
final class RecordFormat {

    private static final String RESERVED = "%[],=";

    private RecordFormat() {
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
