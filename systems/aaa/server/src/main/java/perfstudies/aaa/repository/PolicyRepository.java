package perfstudies.aaa.repository;

import jakarta.ejb.Local;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;

/** Policies and ended sessions in the database. Each call is a transaction. */
@Local
public interface PolicyRepository {

    /** Makes the tables and fills in the policies, if they are not there. */
    void prepare() throws Refusal;

    /**
     * A policy's document.
     *
     * @param connections counts the database connections in use
     * @throws Refusal UnknownPolicy, or RepositoryFailed
     */
    String document(String type, Gauge connections) throws Refusal;

    /** Keeps an ended session. */
    void store(SessionRow session, Gauge connections) throws Refusal;
}
