package perfstudies.flight.persistence;

import java.util.List;
import java.util.Map;
import org.hibernate.FlushMode;
import org.hibernate.Query;
import org.hibernate.Session;
import org.hibernate.Transaction;
import perfstudies.flight.domain.Store;

/** A session as the domain and the services see it: what they ask of it is not called the same in every Hibernate. */
public final class SessionStore implements Store {

    private final Session session;

    public SessionStore(Session session) {
        this.session = session;
    }

    @Override
    @SuppressWarnings("unchecked") // Hibernate 3 has no types of results
    public <T> List<T> find(String query, Class<T> type, Map<String, ?> parameters) {
        Query made = session.createQuery(query);
        parameters.forEach(made::setParameter);
        return made.list();
    }

    @Override
    public void persist(Object object) {
        session.persist(object);
    }

    /** The one object of a type that a query finds. */
    public <T> T only(String query, Class<T> type) {
        return type.cast(session.createQuery(query).uniqueResult());
    }

    /** The object of a type that has an identity. */
    public <T> T get(Class<T> type, Long identity) {
        return type.cast(session.get(type, identity));
    }

    /** Keeps an object no longer. */
    public void remove(Object object) {
        session.delete(object);
    }

    /** From now on the session does not look for changes. */
    public void flushNothing() {
        session.setFlushMode(FlushMode.MANUAL);
    }

    static boolean canRollBack(Transaction transaction) {
        return transaction.isActive();
    }
}
