package perfstudies.aaa.log;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What one deployment counts. Beans are the instances of the timer's module. */
public final class Counters {

    public final LongAdder requests = new LongAdder();
    public final LongAdder faults = new LongAdder();
    public final LongAdder beansCreated = new LongAdder();
    public final LongAdder beansDestroyed = new LongAdder();
    public final LongAdder sessions = new LongAdder();
    public final Gauge beansAlive = new Gauge();
    public final Gauge beansBusy = new Gauge();
    public final Gauge threadsBusy = new Gauge();
    public final Gauge connections = new Gauge();

    private final AtomicLong requestNumbers = new AtomicLong();
    private final AtomicLong beanNumbers = new AtomicLong();
    private final AtomicLong sessionNumbers = new AtomicLong();

    public long nextRequest() {
        return requestNumbers.getAndIncrement();
    }

    public long nextBean() {
        return beanNumbers.getAndIncrement();
    }

    public long nextSession() {
        return sessionNumbers.getAndIncrement();
    }
}
