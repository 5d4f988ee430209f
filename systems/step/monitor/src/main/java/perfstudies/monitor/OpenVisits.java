package perfstudies.monitor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * What one thread has entered and not left yet, for monitors that record every interception by itself.
 *
 * <p>Each tag has a stack: an exit belongs to the latest enter of its tag. Where the true pairs are others, as with
 * events that come in the order of their first ones, single times are exchanged, but neither their number nor their sum
 * changes.
 *
 * @param <V> what the monitor keeps of a visit
 */
final class OpenVisits<V extends Visit> {

    private final Problems problems;
    private final Map<String, Deque<V>> open = new HashMap<>();
    /** The tag of the visit around all others; null outside a request. */
    private String outermost;

    OpenVisits(Problems problems) {
        this.problems = problems;
    }

    void enter(String tag, V visit) {
        if (outermost == null) {
            outermost = tag;
        }
        stack(tag).push(visit);
    }

    /** Notes a fact with the latest visit of its tag. */
    void note(String tag, String key, String value) {
        V visit = stack(tag).peek();
        if (visit == null) {
            problems.report("context outside its layer", tag);
        } else {
            visit.note(key, value);
        }
    }

    /** Takes away the visit that ends; null, and reported, if there is none. */
    V exit(String tag) {
        V visit = stack(tag).poll();
        if (visit == null) {
            problems.report("exit without enter", tag);
        } else if (tag.equals(outermost) && stack(tag).isEmpty()) {
            endRequest();
        }
        return visit;
    }

    /** A visit that lost its exit has no time of its own; left here, it would take the exit of a later request's. */
    private void endRequest() {
        outermost = null;
        open.forEach((tag, visits) -> {
            if (!visits.isEmpty()) {
                problems.report("enter without exit", tag);
                visits.clear();
            }
        });
    }

    private Deque<V> stack(String tag) {
        return open.computeIfAbsent(tag, any -> new ArrayDeque<>());
    }
}
