package perfstudies.flight.persistence;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.List;
import javax.persistence.OptimisticLockException;
import org.hibernate.StaleStateException;
import org.hibernate.exception.LockAcquisitionException;

/**
 * Tells failures that are nobody's fault but another transaction's, so that doing the work again may succeed: an object
 * was changed since it was read, or the database ended a deadlock or a wait for a lock.
 */
final class Conflicts {

    private static final List<Class<? extends Exception>> TYPES = List.of(OptimisticLockException.class,
            StaleStateException.class, LockAcquisitionException.class, SQLTransactionRollbackException.class);

    /** What H2 says of itself where it has no exception of its own: a lock was waited for too long, a deadlock. */
    private static final List<Integer> H2_CODES = List.of(50200, 40001);

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
            if (cause instanceof SQLException error && H2_CODES.contains(error.getErrorCode())) {
                return true;
            }
        }
        return false;
    }
}
