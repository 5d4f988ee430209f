package perfstudies.orb.server;

import perfstudies.orb.RequestNumber;
import perfstudies.orb.server.ServerRecord.Event;

/**
 * A connection's receiver, which is one thread as long as the connection lasts: when it has a request's first bytes,
 * when it has queued it, and when it comes back for more.
 */
final class Receiver {

    private static final ThreadLocal<Receiver> OF_THREAD = new ThreadLocal<>();

    /** What makes the sockets knows them by name, so all receivers find here what they are to use. */
    private static volatile Burner burner = Burner.CONSTANT;
    private static volatile long demandNs;

    private boolean between = true;
    private long receivedNs;
    private int request = RequestNumber.NONE;

    /** Each request costs its receiver so much processor time before the hand-over, beside what the broker needs. */
    static void use(Burner how, long demand) {
        burner = how;
        demandNs = demand;
    }

    /** Its thread begins to wait for bytes. */
    void readBegins() {
        if (request != RequestNumber.NONE) {
            ServerRecord.current().note(Event.RECEIVER_END, request, System.nanoTime());
            request = RequestNumber.NONE;
        }
        OF_THREAD.set(this);
    }

    /** Its thread has so many bytes; none at the connection's end. A message may take several reads, and costs once. */
    void readEnds(int count) {
        if (between && count > 0) {
            receivedNs = System.nanoTime();
            between = false;
            if (demandNs > 0) {
                burner.burn(demandNs);
            }
        }
    }

    /** The receiver of this thread has added a request to the queue. */
    static void queued(int number, int queueLength) {
        long queuedNs = System.nanoTime();
        Receiver receiver = OF_THREAD.get();
        if (receiver == null) {
            return;
        }
        ServerRecord record = ServerRecord.current();
        record.note(Event.RECEIVED, number, receiver.receivedNs);
        record.note(Event.QUEUED, number, queuedNs);
        record.noteQueueLength(number, queueLength);
        receiver.request = number;
        // What it reads next is another request's beginning: whole messages go into the queue.
        receiver.between = true;
    }
}
