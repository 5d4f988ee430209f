package perfstudies.flight.persistence;

import java.util.List;
import java.util.Map;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.Transaction;
import org.hibernate.query.Query;
import perfstudies.flight.domain.Store;

/** A session as the domain and the services see it: what they ask of it is not called the same in every Hibernate. */
public final class SessionStore implements Store {

    private final Session session;

    public SessionStore(Session session) {
        this.session = session;
    }

    @Override
    public <T> List<T> find(String query, Class<T> type, Map<String, ?> parameters) {
        Query<T> made = session.createQuery(query, type);
        parameters.forEach(made::setParameter);
        return made.getResultList();
    }

    @Override
    public void persist(Object object) {
        session.persist(object);
    }

    /** The one object of a type that a query finds. */
    public <T> T only(String query, Class<T> type) {
        return session.createQuery(query, type).getSingleResult();
    }

    /** The object of a type that has an identity. */
    public <T> T get(Class<T> type, Long identity) {
        return session.find(type, identity);
    }

    /** Keeps an object no longer. */
    public void remove(Object object) {
        session.remove(object);
    }

    /** From now on the session does not look for changes. */
    public void flushNothing() {
        session.setHibernateFlushMode(FlushMode.MANUAL);
    }

    static boolean canRollBack(Transaction transaction) {
        return transaction.getStatus().canRollback();
    }
}
