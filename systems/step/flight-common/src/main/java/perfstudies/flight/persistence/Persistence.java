package perfstudies.flight.persistence;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.stat.Statistics;
import perfstudies.monitor.Monitor;

/** The open database, and transactions in it. */
public final class Persistence implements AutoCloseable {

    /** Work that is done with a session inside a transaction. */
    @FunctionalInterface
    public interface Work<R, X extends Exception> {

        R run(Session session) throws X;
    }

    /** Where the monitor looks: not at all, or at events, and in addition at engine objects and at collections. */
    public record Monitoring(boolean events, boolean engineObjects, boolean collections) {

        public static final Monitoring NONE = new Monitoring(false, false, false);
    }

    private final HibernateLayers layers;
    private final SessionFactory opened;
    /** What the program works with: the same, or a wrapper round it. */
    private final SessionFactory factory;
    private final int retries;
    private final LongAdder retried = new LongAdder();

    /** Opens a database in which a transaction that meets another fails. */
    public Persistence(Database database, Database.Schema schema, Monitor monitor, Monitoring monitoring) {
        this(database, schema, monitor, monitoring, 0);
    }

    /** Opens a database in which a transaction that meets another is done again, up to so many times. */
    public Persistence(Database database, Database.Schema schema, Monitor monitor, Monitoring monitoring,
            int retries) {
        this.retries = retries;
        layers = new HibernateLayers(monitor);
        opened = Factories.open(database, schema, monitoring, layers);
        // The time of the engine objects' calls, which hold each other, means something only if they are nested.
        boolean wrap = monitoring.engineObjects() && monitor.tracksNesting();
        factory = wrap ? Wrapper.wrap(opened, layers) : opened;
    }

    /**
     * Does work in a transaction of its own: commits it, or rolls it back if there was an exception of any kind. Work
     * that is done again after a conflict has a new transaction in a new session, so it sees what the other one did.
     */
    public <R, X extends Exception> R inTransaction(Work<R, X> work) throws X {
        for (int left = retries; left > 0; left--) {
            try {
                return once(work);
            } catch (RuntimeException e) {
                if (!Conflicts.isOne(e)) {
                    throw e;
                }
                retried.increment();
            }
        }
        return once(work);
    }

    private <R, X extends Exception> R once(Work<R, X> work) throws X {
        try {
            Session session = factory.getCurrentSession();
            session.beginTransaction();
            R result = work.run(session);
            session.getTransaction().commit();
            return result;
        } catch (Throwable e) {
            layers.abandon();
            rollBack(e);
            throw e;
        }
    }

    /**
     * Leaves the thread without a session, so that its next request starts afresh. A failure to roll back must not hide
     * why it had to be.
     */
    private void rollBack(Throwable reason) {
        try {
            Session session = factory.getCurrentSession();
            if (SessionStore.canRollBack(session.getTransaction())) {
                session.getTransaction().rollback();
            } else {
                session.close();
            }
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    public boolean countsAreOn() {
        return opened.getStatistics().isStatisticsEnabled();
    }

    /** What Hibernate did since the last call; only without requests at the same time is each counted just once. */
    public Map<String, Long> takeCounts() {
        Statistics statistics = opened.getStatistics();
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("prepared_statements", statistics.getPrepareStatementCount());
        counts.put("second_level_hits", statistics.getSecondLevelCacheHitCount());
        counts.put("second_level_misses", statistics.getSecondLevelCacheMissCount());
        counts.put("second_level_puts", statistics.getSecondLevelCachePutCount());
        counts.put("entities_loaded", statistics.getEntityLoadCount());
        counts.put("collections_loaded", statistics.getCollectionLoadCount());
        counts.put("optimistic_failures", statistics.getOptimisticFailureCount());
        counts.put("transactions", statistics.getTransactionCount());
        counts.put("retries", retried.sumThenReset());
        counts.put("flushes", statistics.getFlushCount());
        statistics.clear();
        return counts;
    }

    @Override
    public void close() {
        opened.close();
    }
}
