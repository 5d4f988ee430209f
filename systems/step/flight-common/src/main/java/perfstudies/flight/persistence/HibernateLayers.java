package perfstudies.flight.persistence;

import perfstudies.monitor.Monitor;

/**
 * The layers of Hibernate in the monitor: all of it, and its reads and its writes within. A monitor that does not track
 * nesting gets the reads and the writes alone.
 *
 * <p>An exception between a pair of events loses the second: every update that finds a stale object does. So it is
 * counted here what each thread has begun, and {@link #abandon} ends that where the exception is caught.
 */
final class HibernateLayers {

    private static final String ALL = "hibernate";
    private static final String LOAD = "hibernate.load";
    private static final String WRITE = "hibernate.write";

    private final Monitor monitor;
    private final boolean whole;
    private final ThreadLocal<Begun> begun = ThreadLocal.withInitial(Begun::new);

    HibernateLayers(Monitor monitor) {
        this.monitor = monitor;
        whole = monitor.tracksNesting();
    }

    void begin() {
        if (whole) {
            monitor.enter(ALL);
        }
    }

    void end() {
        if (whole) {
            monitor.exit(ALL);
        }
    }

    void beginLoad() {
        begun.get().loads++;
        begin();
        monitor.enter(LOAD);
    }

    void endLoad() {
        begun.get().loads--;
        monitor.exit(LOAD);
        end();
    }

    void beginWrite() {
        begun.get().writes++;
        begin();
        monitor.enter(WRITE);
    }

    void endWrite() {
        begun.get().writes--;
        monitor.exit(WRITE);
        end();
    }

    /** Ends all loads and writes of this thread that an exception has cut off. */
    void abandon() {
        Begun open = begun.get();
        while (open.writes > 0) {
            endWrite();
        }
        while (open.loads > 0) {
            endLoad();
        }
    }

    private static final class Begun {
        private int loads;
        private int writes;
    }
}
