package perfstudies.orb.server;

import perfstudies.orb.RequestNumber;
import perfstudies.orb.server.ServerRecord.Event;

/** A thread of the pool, and the request that it has. */
final class Dispatcher {

    private static final ThreadLocal<Dispatcher> OF_THREAD = new ThreadLocal<>();

    private final int index;
    private int request = RequestNumber.NONE;

    private Dispatcher(int index) {
        this.index = index;
    }

    /** This thread began with a request at that time. */
    static void begins(int number, long timeNs) {
        ServerRecord record = ServerRecord.current();
        Dispatcher dispatcher = OF_THREAD.get();
        if (dispatcher == null) {
            dispatcher = new Dispatcher(record.newDispatcher());
            OF_THREAD.set(dispatcher);
        }
        dispatcher.request = number;
        record.note(Event.DISPATCHED, number, timeNs);
        record.noteDispatcher(number, dispatcher.index);
    }

    /** The request of this thread, or {@link RequestNumber#NONE}. */
    static int request() {
        Dispatcher dispatcher = OF_THREAD.get();
        return dispatcher == null ? RequestNumber.NONE : dispatcher.request;
    }

    /** This thread, if it is a dispatcher, has written its reply. */
    static void replied() {
        Dispatcher dispatcher = OF_THREAD.get();
        if (dispatcher != null) {
            ServerRecord.current().note(Event.REPLIED, dispatcher.request, System.nanoTime());
            dispatcher.request = RequestNumber.NONE;
        }
    }
}
