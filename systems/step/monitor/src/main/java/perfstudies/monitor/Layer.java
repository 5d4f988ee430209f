package perfstudies.monitor;

import java.util.LinkedHashMap;
import java.util.Map;

/** The time and the context of one layer within one request. */
final class Layer {

    final String tag;
    final Map<String, String> context = new LinkedHashMap<>();

    private int depth;
    private long enteredNs;
    private long totalNs;

    Layer(String tag) {
        this.tag = tag;
    }

    boolean isOpen() {
        return depth > 0;
    }

    boolean isOutermost() {
        return depth == 1;
    }

    void openAt(long nowNs) {
        depth = 1;
        enteredNs = nowNs;
    }

    /** Closes the layer however deep it is, since one that lost an exit may be left at any depth. */
    void closeAt(long nowNs) {
        depth = 0;
        totalNs += nowNs - enteredNs;
    }

    void deeper() {
        depth++;
    }

    void shallower() {
        depth--;
    }

    long totalNs() {
        return totalNs;
    }
}
