package perfstudies.flight.service;

import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.Flights;

/** One operation of the application; an object of it is one call. */
public abstract class Service<R> {

    /** What the service does, inside a transaction that it need not know of, and once more if that has to be redone. */
    abstract R action(Flights domain) throws DomainException;

    /** Whether the service changes nothing. */
    boolean onlyReads() {
        return false;
    }

    /** The name by which interceptors know the service. */
    final String name() {
        return getClass().getSimpleName();
    }
}
