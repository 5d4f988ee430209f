package perfstudies.monitor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reports wrong use of the monitor, each kind once for each layer: it must be seen, but a fault in every request must
 * not drown everything else, nor may it break the request that is measured.
 */
final class Problems {

    private final Consumer<String> sink;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    Problems(Consumer<String> sink) {
        this.sink = sink;
    }

    void report(String kind, String subject) {
        String line = "monitor: " + kind + ": " + subject;
        if (seen.add(line)) {
            sink.accept(line + " (reported once)");
        }
    }
}
