package perfstudies.orb.server;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import perfstudies.orb.Micros;

/**
 * When each request got where. It is kept in memory, in places made beforehand, and written when all is over: neither
 * a disk nor a collection of garbage disturbs what is measured.
 *
 * <p>JacORB makes what it calls from the names of classes, so all of that finds the record here: there is one a process
 * at a time.
 */
public final class ServerRecord {

    /** A place on a request's way. The order is that of the columns, and of the way but for {@code RECEIVER_END} and
     * {@code REMOVED}, which other threads come to at their own time. */
    public enum Event {
        /** The receiver has the first bytes of it. */
        RECEIVED,
        /** The receiver has added it to the queue. */
        QUEUED,
        /** The receiver is done with it, and turns to its connection again. */
        RECEIVER_END,
        /** The controller has taken it off the queue, which it does after having woken a dispatcher. */
        REMOVED,
        /** A dispatcher has it. */
        DISPATCHED,
        SERVANT_START,
        SERVANT_END,
        /** The dispatcher has written the reply. */
        REPLIED
    }

    static final String HEADER = "number,received_ns,queued_ns,receiver_end_ns,removed_ns,dispatched_ns,"
            + "servant_start_ns,servant_end_ns,replied_ns,cpu_ns,queue_length,dispatcher";
    private static final long NEVER = Long.MIN_VALUE;

    private static volatile ServerRecord current = new ServerRecord(0);

    private final int requests;
    private final Map<Event, AtomicLongArray> times = new EnumMap<>(Event.class);
    private final AtomicLongArray cpuNs;
    private final AtomicIntegerArray queueLengths;
    private final AtomicIntegerArray dispatchers;
    private final AtomicInteger dispatchersSeen = new AtomicInteger();

    /** A record of the requests with the numbers from 0 on, so many; others are not recorded. */
    ServerRecord(int requests) {
        this.requests = requests;
        for (Event event : Event.values()) {
            AtomicLongArray places = new AtomicLongArray(requests);
            for (int number = 0; number < requests; number++) {
                places.setPlain(number, NEVER);
            }
            times.put(event, places);
        }
        cpuNs = new AtomicLongArray(requests);
        queueLengths = new AtomicIntegerArray(requests);
        dispatchers = new AtomicIntegerArray(requests);
    }

    static ServerRecord current() {
        return current;
    }

    static void use(ServerRecord record) {
        current = record;
    }

    void note(Event event, int number, long timeNs) {
        if (has(number)) {
            times.get(event).setRelease(number, timeNs);
        }
    }

    void noteQueueLength(int number, int length) {
        if (has(number)) {
            queueLengths.setRelease(number, length);
        }
    }

    void noteDispatcher(int number, int dispatcher) {
        if (has(number)) {
            dispatchers.setRelease(number, dispatcher);
        }
    }

    void noteCpu(int number, long usedNs) {
        if (has(number)) {
            cpuNs.setRelease(number, usedNs);
        }
    }

    /** A number for a dispatcher that is seen for the first time: 0, 1, 2 ... */
    int newDispatcher() {
        return dispatchersSeen.getAndIncrement();
    }

    /** How many threads have dispatched requests so far, recorded ones or not. */
    int dispatchersSeen() {
        return dispatchersSeen.get();
    }

    /**
     * Writes a line a request that came, in the order of their numbers. The time of its arrival is the clock's, the
     * others count from it, all to the microsecond; one that it did not get to is empty.
     */
    void write(Path file) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            writer.write(HEADER + "\n");
            for (int number = 0; number < requests; number++) {
                if (times.get(Event.RECEIVED).getAcquire(number) != NEVER) {
                    writer.write(line(number));
                }
            }
        }
    }

    private String line(int number) {
        long received = times.get(Event.RECEIVED).getAcquire(number);
        StringBuilder line = new StringBuilder().append(number).append(',').append(Micros.floor(received));
        for (Event event : Event.values()) {
            if (event != Event.RECEIVED) {
                long time = times.get(event).getAcquire(number);
                line.append(',').append(time == NEVER ? "" : Long.toString(Micros.floor(time - received)));
            }
        }
        return line.append(',').append(Micros.floor(cpuNs.getAcquire(number))).append(',').append(queueLengths.getAcquire(number))
                .append(',').append(dispatchers.getAcquire(number)).append('\n').toString();
    }

    private boolean has(int number) {
        return number >= 0 && number < requests;
    }
}
