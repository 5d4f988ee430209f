package perfstudies.aaa.entity21;

import jakarta.ejb.EJBException;
import jakarta.ejb.FinderException;
import jakarta.ejb.ObjectNotFoundException;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;
import perfstudies.aaa.repository.PolicyRepository;
import perfstudies.aaa.repository.SessionRow;

/** The session bean before the entity bean: each call is a transaction, in which it finds the policy by its key. */
public class Entity21Policies implements PolicyRepository {

    private static final String HOME = "java:comp/env/ejb/Policy";
    /** Looked up once for each bean. */
    private PolicyHome home;

    @Override
    public void prepare() {
        // The tables and their first rows are the session bean's work.
    }

    @Override
    public String document(String type, Gauge connections) throws Refusal {
        connections.enter();
        try {
            if (home == null) {
                home = (PolicyHome) new InitialContext().lookup(HOME);
            }
            return home.findByPrimaryKey(type).getDocument();
        } catch (ObjectNotFoundException e) {
            throw new Refusal(FaultName.UnknownPolicy, "there is no policy " + type, e);
        } catch (FinderException | NamingException | EJBException e) {
            throw new Refusal(FaultName.RepositoryFailed, "the policy repository failed: " + e.getMessage(), e);
        } finally {
            connections.leave();
        }
    }

    @Override
    public void store(SessionRow session, Gauge connections) throws Refusal {
        throw new Refusal(FaultName.RepositoryFailed, "sessions are not kept by entity beans of EJB 2.1");
    }
}
