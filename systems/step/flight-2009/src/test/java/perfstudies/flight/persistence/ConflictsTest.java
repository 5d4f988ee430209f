package perfstudies.flight.persistence;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.List;
import javax.persistence.OptimisticLockException;
import javax.persistence.PersistenceException;
import org.hibernate.StaleObjectStateException;
import org.hibernate.exception.ConstraintViolationException;
import org.hibernate.exception.GenericJDBCException;
import org.hibernate.exception.LockAcquisitionException;
import org.junit.jupiter.api.Test;

class ConflictsTest {

    @Test
    void staleObjectsAndTheDatabasesLocksAreConflicts() {
        for (RuntimeException failure : List.of(new StaleObjectStateException("Flight", 1L),
                new OptimisticLockException(), new LockAcquisitionException("deadlock", new SQLException()),
                new GenericJDBCException("victim", new SQLTransactionRollbackException()),
                new GenericJDBCException("H2 waited", new SQLException("Timeout", "HYT00", 50200)))) {
            assertTrue(Conflicts.isOne(failure), failure::toString);
            assertTrue(Conflicts.isOne(new IllegalStateException(failure)), "wrapped");
        }
    }

    @Test
    void anythingElseIsNot() {
        for (RuntimeException failure : List.of(new NullPointerException(), new PersistenceException("no"),
                new ConstraintViolationException("twice", new SQLException(), "unique"),
                new GenericJDBCException("gone", new SQLException()))) {
            assertFalse(Conflicts.isOne(failure), failure::toString);
        }
    }
}
