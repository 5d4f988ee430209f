package perfstudies.monitor;

import java.util.LinkedHashMap;
import java.util.Map;

/** One visit of a layer, from an enter to its exit, and the facts noted with it; monitors add how they time it. */
abstract class Visit {

    /** Most visits, thousands a request, have none. */
    private Map<String, String> context = Map.of();

    final void note(String key, String value) {
        if (context.isEmpty()) {
            context = new LinkedHashMap<>();
        }
        context.put(key, value);
    }

    final Map<String, String> context() {
        return context;
    }
}
