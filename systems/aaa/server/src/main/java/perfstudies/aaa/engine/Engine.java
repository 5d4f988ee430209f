package perfstudies.aaa.engine;

import jakarta.ejb.Local;
import perfstudies.aaa.Refusal;

/** What the servlet calls in the EJB container. */
@Local
public interface Engine {

    /** Makes the database ready for requests. */
    void prepare() throws Refusal;

    /** Evaluates the request's driving policy. */
    AaaReply decide(AaaRequest request, Call call) throws Refusal;
}
