package perfstudies.flight.service;

import org.hibernate.Session;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.FlightManager;

/** One operation of the application; an object of it is one call. */
public abstract class Service<R> {

    /** What the service does, inside a transaction that it need not know of. */
    abstract R action(FlightManager manager) throws DomainException;

    /** The name by which interceptors know the service. */
    final String name() {
        return getClass().getSimpleName();
    }

    /** Loads the domain root, from which every service starts. */
    final R run(Session session) throws DomainException {
        FlightManager manager = session.createQuery("from FlightManager", FlightManager.class).getSingleResult();
        return action(manager);
    }
}
