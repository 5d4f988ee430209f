package perfstudies.aaa.entity;

import jakarta.ejb.Stateless;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;
import perfstudies.aaa.repository.PolicyRepository;
import perfstudies.aaa.repository.SessionRow;

/**
 * The repository by entity beans: each call is a transaction in which the container loads the entity by its primary key
 * and, at the end, writes what has changed. Nothing is kept from one transaction to the next, as with the session bean.
 */
@Stateless
public class EntityPolicies implements PolicyRepository {

    @PersistenceContext(unitName = "aaa")
    private EntityManager entities;

    public EntityPolicies() {
        // for the container, which injects the entity manager
    }

    EntityPolicies(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public void prepare() {
        // The tables and their first rows are the session bean's work.
    }

    @Override
    public String document(String type, Gauge connections) throws Refusal {
        connections.enter();
        try {
            PolicyEntity policy = entities.find(PolicyEntity.class, type);
            if (policy == null) {
                throw new Refusal(FaultName.UnknownPolicy, "there is no policy " + type);
            }
            return policy.getDocument();
        } catch (RuntimeException e) {
            throw failed(e);
        } finally {
            connections.leave();
        }
    }

    @Override
    public void store(SessionRow session, Gauge connections) throws Refusal {
        connections.enter();
        try {
            entities.persist(new SessionEntity(session));
            entities.flush();
        } catch (RuntimeException e) {
            throw failed(e);
        } finally {
            connections.leave();
        }
    }

    /** Providers also throw exceptions of their own kinds. */
    private static Refusal failed(RuntimeException e) {
        return new Refusal(FaultName.RepositoryFailed, "the policy repository failed: " + e.getMessage(), e);
    }
}
