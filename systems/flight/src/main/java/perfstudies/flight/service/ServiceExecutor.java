package perfstudies.flight.service;

import org.apache.log4j.Logger;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.extension.InterceptorChain;
import perfstudies.flight.persistence.Persistence;

/** Runs services inside their interceptors and, within these, an implicit transaction. */
public final class ServiceExecutor {

    private static final Logger LOG = Logger.getLogger(ServiceExecutor.class);

    private final Persistence persistence;
    private final InterceptorChain interceptors;

    public ServiceExecutor(Persistence persistence, InterceptorChain interceptors) {
        this.persistence = persistence;
        this.interceptors = interceptors;
    }

    public <R> R execute(Service<R> service) throws DomainException {
        LOG.debug("executing " + service.name());
        return interceptors.run(service.name(), () -> persistence.inTransaction(service::run));
    }
}
