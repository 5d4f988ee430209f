package perfstudies.aaa.engine;

import jakarta.ejb.ConcurrentAccessException;
import jakarta.ejb.EJB;
import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.Map;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.MessageLog;
import perfstudies.aaa.modules.ApplicationModule;
import perfstudies.aaa.repository.PolicyRepository;
import perfstudies.aaa.repository.SessionRow;

/**
 * The engine as a session bean: asks for a session, reads the driving policy, evaluates it with the modules that the
 * policy instructs it to call, and ends the session.
 *
 * <p>It takes no part in transactions, because a request may wait in a module for long, and a transaction would hold a
 * connection to the database all the time.
 */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class RuleBasedEngine implements Engine {

    /** Looked up, because an application without a persistence provider, or without beans of EJB 2.1, leaves them out. */
    private static final Map<String, String> ENTITY_REPOSITORIES = Map.of("entity", "java:module/EntityPolicies",
            "entity-2.1", "java:module/Entity21Policies");

    @EJB(beanName = "TimerModule")
    private ApplicationModule timer;
    @EJB(beanName = "BandwidthModule")
    private ApplicationModule bandwidth;
    @EJB(beanName = "RoamingModule")
    private ApplicationModule roaming;
    @EJB(beanName = "TicketModule")
    private ApplicationModule ticket;
    @EJB(beanName = "SessionPolicies")
    private PolicyRepository sessionPolicies;
    /** Looked up once for each engine, as what the container injects is. */
    private PolicyRepository entityPolicies;

    public RuleBasedEngine() {
        // for the container, which injects the modules and the repository
    }

    /** An engine without a container, with a repository of session beans. */
    public RuleBasedEngine(ApplicationModule timer, ApplicationModule bandwidth, ApplicationModule roaming,
            ApplicationModule ticket, PolicyRepository sessionPolicies) {
        this.timer = timer;
        this.bandwidth = bandwidth;
        this.roaming = roaming;
        this.ticket = ticket;
        this.sessionPolicies = sessionPolicies;
    }

    @Override
    public void prepare() throws Refusal {
        sessionPolicies.prepare();
    }

    @Override
    public AaaReply decide(AaaRequest request, Call call) throws Refusal {
        Deployment deployment = call.deployment();
        call.begin(SessionManager.begin(deployment, request));
        try {
            String entities = ENTITY_REPOSITORIES.get(deployment.settings().text("repository"));
            PolicyRepository repository = entities == null ? sessionPolicies : entityPolicies(entities);
            Policy policy = policy(request.type(), repository, call);
            AaaReply reply = new Evaluation(request, call, Map.of("timer", timer, "bandwidth", bandwidth,
                    "roaming", roaming, "ticket", ticket)).decide(policy);
            if (deployment.settings().truth("session.store")) {
                store(repository, reply, call);
            }
            SessionManager.end(call, request, reply.answer());
            return reply;
        } catch (Refusal e) {
            SessionManager.end(call, request, e.fault().name());
            throw e;
        } catch (ConcurrentAccessException e) {
            SessionManager.end(call, request, FaultName.NoBean.name());
            throw new Refusal(FaultName.NoBean, "the container has no bean for the request: " + e.getMessage(), e);
        }
    }

    private static Policy policy(String type, PolicyRepository repository, Call call) throws Refusal {
        Map<String, Policy> cache = call.deployment().policies();
        boolean cached = call.deployment().settings().truth("policy.cache");
        Policy policy = cached ? cache.get(type) : null;
        if (policy == null) {
            long startNs = System.nanoTime();
            String document;
            try {
                document = repository.document(type, call.deployment().counters().connections);
            } catch (ConcurrentAccessException e) {
                throw e;
            } catch (EJBException e) {
                throw failed(e);
            } finally {
                call.record().addDatabase(System.nanoTime() - startNs);
            }
            policy = PolicyReader.read(type, document);
            if (cached) {
                cache.put(type, policy);
            }
        }
        return policy;
    }

    private static void store(PolicyRepository repository, AaaReply reply, Call call) throws Refusal {
        long startNs = System.nanoTime();
        try {
            repository.store(new SessionRow(reply.session(), reply.request().type(), reply.answer(),
                    MessageLog.nowUs()), call.deployment().counters().connections);
        } catch (ConcurrentAccessException e) {
            throw e;
        } catch (EJBException e) {
            throw failed(e);
        } finally {
            call.record().addDatabase(System.nanoTime() - startNs);
        }
    }

    /** A transaction that could not be ended is found out by the container, after the repository's own code. */
    private static Refusal failed(EJBException e) {
        return new Refusal(FaultName.RepositoryFailed, "the policy repository failed: " + e.getMessage(), e);
    }

    private PolicyRepository entityPolicies(String name) throws Refusal {
        try {
            if (entityPolicies == null) {
                entityPolicies = (PolicyRepository) new InitialContext().lookup(name);
            }
            return entityPolicies;
        } catch (NamingException e) {
            throw new Refusal(FaultName.RepositoryFailed, "there is no entity bean here: " + e.getMessage(), e);
        }
    }
}
