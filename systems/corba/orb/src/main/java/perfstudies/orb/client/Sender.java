package perfstudies.orb.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.omg.CORBA.SystemException;
import perfstudies.orb.RequestNumber;

/**
 * Sends requests when they are due, whether earlier ones are answered or not. A call blocks its thread until the
 * answer, so there are many threads. One of them at a time has the turn: it takes the next request, waits until it is
 * due, passes the turn on, and sends it. So no request is handed from one thread to another. A request is late only if
 * all threads wait for answers, and its record says so.
 */
final class Sender {

    /** After so many failures in a row nothing more is sent. */
    static final int GIVE_UP = 20;
    /** A sleep ends that much late, or a little more; the rest is waited for awake. */
    private static final long AWAKE_NS = 100_000;

    private final Connections connections;
    private final Schedule schedule;
    private final int[] demandsUs;
    private final boolean numbered;
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicInteger failuresInARow = new AtomicInteger();
    private int next;

    /**
     * What is to be sent.
     *
     * @param demandsUs the CPU time that each asks for, by connection in turn
     * @param numbered whether the server is to record them
     */
    Sender(Connections connections, Schedule schedule, int[] demandsUs, boolean numbered) {
        this.connections = connections;
        this.schedule = schedule;
        this.demandsUs = demandsUs;
        this.numbered = numbered;
    }

    /** Sends everything and waits for the answers. */
    ClientRecord send(long startNs, int threads) throws InterruptedException {
        ClientRecord record = new ClientRecord(schedule, startNs);
        List<Thread> senders = new ArrayList<>();
        for (int i = 0; i < Math.min(threads, schedule.requests()); i++) {
            Thread sender = new Thread(() -> work(startNs, record), "sender-" + i);
            sender.setDaemon(true);
            sender.start();
            senders.add(sender);
        }
        for (Thread sender : senders) {
            sender.join();
        }
        return record;
    }

    private void work(long startNs, ClientRecord record) {
        for (int number = take(startNs); number != RequestNumber.NONE; number = take(startNs)) {
            call(number, record);
        }
    }

    /** Waits for the turn and until the next request is due; its number, or none if there is nothing more to send. */
    private int take(long startNs) {
        turn.lock();
        try {
            if (next == schedule.requests() || failuresInARow.get() >= GIVE_UP) {
                return RequestNumber.NONE;
            }
            waitUntil(startNs + schedule.dueNs(next));
            return next++;
        } finally {
            turn.unlock();
        }
    }

    private static void waitUntil(long timeNs) {
        for (long left = timeNs - System.nanoTime(); left > 0; left = timeNs - System.nanoTime()) {
            if (left > AWAKE_NS) {
                LockSupport.parkNanos(left - AWAKE_NS);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void call(int number, ClientRecord record) {
        NumberSender.set(numbered ? number : RequestNumber.NONE);
        String outcome = ClientRecord.OK;
        long sentNs = System.nanoTime();
        try {
            int connection = schedule.connection(number);
            connections.target(connection).serve(demandsUs[connection % demandsUs.length]);
            failuresInARow.set(0);
        } catch (SystemException e) {
            failuresInARow.incrementAndGet();
            outcome = e.getClass().getSimpleName();
        }
        record.note(number, sentNs, System.nanoTime(), outcome);
    }
}
