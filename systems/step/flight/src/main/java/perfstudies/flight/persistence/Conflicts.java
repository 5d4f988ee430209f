package perfstudies.flight.persistence;

import jakarta.persistence.LockTimeoutException;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PessimisticLockException;
import java.sql.SQLTransactionRollbackException;
import java.util.List;
import org.hibernate.StaleStateException;
import org.hibernate.exception.LockAcquisitionException;

/**
 * Tells failures that are nobody's fault but another transaction's, so that doing the work again may succeed: an object
 * was changed since it was read, or the database ended a deadlock or a wait for a lock.
 */
final class Conflicts {

    /** Hibernate's own lock exceptions, which are not all among those of Jakarta Persistence, and the driver's. */
    private static final List<Class<? extends Exception>> TYPES = List.of(OptimisticLockException.class,
            StaleStateException.class, PessimisticLockException.class, LockTimeoutException.class,
            org.hibernate.PessimisticLockException.class, LockAcquisitionException.class,
            SQLTransactionRollbackException.class);

    private Conflicts() {
    }

    /** Whether a failure, or one of its causes, is such a conflict. */
    static boolean isOne(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Class<?> type : TYPES) {
                if (type.isInstance(cause)) {
                    return true;
                }
            }
        }
        return false;
    }
}
