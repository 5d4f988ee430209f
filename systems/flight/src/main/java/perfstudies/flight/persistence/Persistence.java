package perfstudies.flight.persistence;

import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.integrator.spi.Integrator;
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

    public Persistence(Database database, Database.Schema schema, Monitor monitor, Monitoring monitoring) {
        layers = new HibernateLayers(monitor);
        opened = database.open(schema, listeners(monitoring));
        // The time of the engine objects' calls, which hold each other, means something only if they are nested.
        boolean wrap = monitoring.engineObjects() && monitor.tracksNesting();
        factory = wrap ? Wrapper.wrap(opened, layers) : opened;
    }

    /** Does work in a transaction of its own: commits it, or rolls it back if there was an exception of any kind. */
    public <R, X extends Exception> R inTransaction(Work<R, X> work) throws X {
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
            if (session.getTransaction().getStatus().canRollback()) {
                session.getTransaction().rollback();
            } else {
                session.close();
            }
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private List<Integrator> listeners(Monitoring monitoring) {
        List<Integrator> listeners = new ArrayList<>();
        if (monitoring.events()) {
            listeners.add(new HibernateEvents(layers));
        }
        if (monitoring.collections()) {
            listeners.add(new TimedCollections(layers));
        }
        return listeners;
    }

    @Override
    public void close() {
        opened.close();
    }
}
