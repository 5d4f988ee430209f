package perfstudies.orb;

/** Times are written in nanoseconds and to the microsecond: what is finer is noise, and most of a packed record. */
public final class Micros {

    private static final long NS = 1000;

    private Micros() {
    }

    /** Returns the last whole microsecond until then, in nanoseconds. */
    public static long floor(long timeNs) {
        return Math.floorDiv(timeNs, NS) * NS;
    }
}
