package perfstudies.flight.persistence;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import perfstudies.launch.UsageException;

/**
 * Whether Hibernate can log at the level that is set. As it is loaded, Hibernate 3 decides for good if it will tell of
 * every value: in a process that began at another level, trace would tell of less than it should, and one that began at
 * trace would make those messages at every level, if only to throw them away.
 */
public final class Tracing {

    private static final Logger VALUES = Logger.getLogger("org.hibernate.type");

    /** What Hibernate has decided; null as long as it is not loaded. */
    private static Boolean decided;

    private Tracing() {
    }

    /** A {@link UsageException} if it cannot. Nothing is lost by silence, so off is possible at any time. */
    public static synchronized void check() {
        boolean wanted = VALUES.isTraceEnabled();
        if (decided == null) {
            decided = wanted;
        }
        if (wanted != decided && !Level.OFF.equals(VALUES.getEffectiveLevel())) {
            throw new UsageException("Hibernate 3 tells of values (trace) in all of a process or in nothing of it, and "
                    + "this process began " + (decided ? "with" : "without") + ": start another");
        }
    }
}
