package perfstudies.flight.service;

import org.apache.log4j.Logger;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.extension.InterceptorChain;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.persistence.SessionStore;

/** Runs services inside their interceptors and, within these, an implicit transaction. */
public final class ServiceExecutor {

    private static final Logger LOG = Logger.getLogger(ServiceExecutor.class);

    private final Persistence persistence;
    private final InterceptorChain interceptors;
    private final Domain domain;
    private final boolean readsWithoutFlush;

    /** Executes as the study did. */
    public ServiceExecutor(Persistence persistence, InterceptorChain interceptors) {
        this(persistence, interceptors, Domain.OF_THE_STUDY, false);
    }

    /**
     * Executes in another way.
     *
     * @param domain how services come to it
     * @param readsWithoutFlush whether the commit of a service that only reads does not look for changes
     */
    public ServiceExecutor(Persistence persistence, InterceptorChain interceptors, Domain domain,
            boolean readsWithoutFlush) {
        this.persistence = persistence;
        this.interceptors = interceptors;
        this.domain = domain;
        this.readsWithoutFlush = readsWithoutFlush;
    }

    public <R> R execute(Service<R> service) throws DomainException {
        LOG.debug("executing " + service.name());
        return interceptors.run(service.name(), () -> persistence.inTransaction(session -> {
            if (readsWithoutFlush && service.onlyReads()) {
                new SessionStore(session).flushNothing();
            }
            return service.action(domain.open(session));
        }));
    }
}
