package perfstudies.monitor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one thread knows of its current request: its layers, and the order in which the open ones were entered.
 *
 * <p>Layers follow the call stack, so a layer that is left takes with it whatever was opened inside it and never
 * closed (an exception between a pair of events, say). Such a layer is closed at that moment and reported, because
 * time that runs on past its enclosing layer would be a wrong measurement without a trace.
 */
final class RequestRecord {

    private final NanoClock clock;
    private final Problems problems;
    /** In alphabetical order, which is the order of the log. */
    private final Map<String, Layer> layers = new TreeMap<>();
    /** The open layers, innermost first. */
    private final Deque<Layer> open = new ArrayDeque<>();

    RequestRecord(NanoClock clock, Problems problems) {
        this.clock = clock;
        this.problems = problems;
    }

    /** Only the outermost enter reads the clock: the others, of which there are thousands, cost a counter. */
    void enter(String tag) {
        Layer layer = layers.get(tag);
        if (layer == null) {
            layer = new Layer(tag);
            layers.put(tag, layer);
        }
        if (layer.isOpen()) {
            layer.deeper();
        } else {
            open.push(layer);
            layer.openAt(clock.nanoTime());
        }
    }

    /**
     * Leaves a layer.
     *
     * @return whether the request is over: the layer that opened the record is closed
     */
    boolean exit(String tag) {
        Layer layer = layers.get(tag);
        if (layer == null || !layer.isOpen()) {
            problems.report("exit without enter", tag);
            return false;
        }
        if (!layer.isOutermost()) {
            layer.shallower();
            return false;
        }
        closeDownTo(layer, clock.nanoTime());
        return open.isEmpty();
    }

    void context(String tag, String key, String value) {
        if (open.isEmpty()) {
            problems.report("context outside a request", tag);
            return;
        }
        layers.computeIfAbsent(tag, Layer::new).context.put(key, value);
    }

    Iterable<Layer> layers() {
        return layers.values();
    }

    void clear() {
        layers.clear();
    }

    private void closeDownTo(Layer outer, long nowNs) {
        Layer layer;
        do {
            layer = open.pop();
            layer.closeAt(nowNs);
            if (layer != outer) {
                problems.report("enter without exit", layer.tag);
            }
        } while (layer != outer);
    }
}
