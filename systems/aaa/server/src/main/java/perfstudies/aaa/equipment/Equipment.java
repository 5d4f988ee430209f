package perfstudies.aaa.equipment;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.LongSupplier;

/** The equipment's bandwidth, and who has reserved how much of it until when. */
public final class Equipment {

    /** The namespace of its messages. */
    public static final String NAMESPACE = "http://www.AAA.org/ns/Equipment";

    private record Reservation(String name, int bandwidthMbit, long endsMs) {
    }

    private final long capacityMbit;
    private final LongSupplier clockMs;
    private final Map<String, Reservation> reservations = new HashMap<>();
    private final Queue<Reservation> byEnd = new PriorityQueue<>(Comparator.comparingLong(Reservation::endsMs));
    private long reservedMbit;
    private long numbers;

    Equipment(long capacityMbit, LongSupplier clockMs) {
        this.capacityMbit = capacityMbit;
        this.clockMs = clockMs;
    }

    /** Reserves bandwidth for so long; returns the reservation's name, or null if that much is not free. */
    synchronized String reserve(int bandwidthMbit, long durationMs) {
        end();
        if (reservedMbit + bandwidthMbit > capacityMbit) {
            return null;
        }
        Reservation reservation = new Reservation("r" + numbers++, bandwidthMbit, clockMs.getAsLong() + durationMs);
        reservations.put(reservation.name(), reservation);
        byEnd.add(reservation);
        reservedMbit += bandwidthMbit;
        return reservation.name();
    }

    /** Ends a reservation; false if there is none of this name, or not any more. */
    synchronized boolean release(String name) {
        end();
        Reservation reservation = reservations.get(name);
        if (reservation == null) {
            return false;
        }
        byEnd.remove(reservation);
        remove(reservation);
        return true;
    }

    synchronized long freeMbit() {
        end();
        return capacityMbit - reservedMbit;
    }

    private void end() {
        while (!byEnd.isEmpty() && byEnd.peek().endsMs() <= clockMs.getAsLong()) {
            remove(byEnd.remove());
        }
    }

    private void remove(Reservation reservation) {
        reservations.remove(reservation.name());
        reservedMbit -= reservation.bandwidthMbit();
    }
}
