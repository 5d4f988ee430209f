package perfstudies.aaa.log;

import java.util.concurrent.atomic.AtomicInteger;

/** How many are in use now, and how many were at once at most since that was last asked. */
public final class Gauge {

    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /** One more; returns how many there are, this one included. */
    public int enter() {
        int count = now.incrementAndGet();
        most.accumulateAndGet(count, Math::max);
        return count;
    }

    public void leave() {
        now.decrementAndGet();
    }

    public int now() {
        return now.get();
    }

    public int takeMost() {
        return most.getAndSet(now.get());
    }
}
