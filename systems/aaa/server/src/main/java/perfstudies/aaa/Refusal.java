package perfstudies.aaa;

import jakarta.ejb.ApplicationException;

/** A request that gets a fault; the message says what was wrong. The container hands it on as it is. */
@ApplicationException(rollback = true)
public final class Refusal extends Exception {

    private static final long serialVersionUID = 1L;

    private final FaultName fault;

    public Refusal(FaultName fault, String message) {
        super(message);
        this.fault = fault;
    }

    public Refusal(FaultName fault, String message, Throwable cause) {
        super(message, cause);
        this.fault = fault;
    }

    public FaultName fault() {
        return fault;
    }
}
