package perfstudies.flight;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import jakarta.persistence.OptimisticLockException;
import java.util.List;
import org.hibernate.StaleObjectStateException;

/** What the tests that both generations share expect of today's libraries. */
public final class Expected {

    /** What an H2 file's name ends with. */
    static final String DATABASE_SUFFIX = ".mv.db";
    /** What H2 has to be told to let two transactions write at the same time. */
    static final String DATABASE_OPTIONS = "";
    /** A logger of Hibernate's that tells of every value read. */
    static final String TRACES = "org.hibernate.orm.jdbc.extract";
    /** The finest level that a running service can be set to, and one of Hibernate's messages at it. */
    static final String FINEST = "trace";
    static final String FINEST_MESSAGE = "TRACE " + TRACES;
    /** What the JVM has to be told. */
    static final List<String> JAVA_OPTIONS = List.of();
    /** What a query fails with that makes no sense. */
    public static final Class<? extends RuntimeException> BAD_QUERY = IllegalArgumentException.class;

    private Expected() {
    }

    /** How a transaction fails that changes what another has changed. */
    public static void assertStale(RuntimeException failure) {
        assertInstanceOf(OptimisticLockException.class, failure);
        assertInstanceOf(StaleObjectStateException.class, failure.getCause());
    }

    /** A flight's version after two reservations with random numbers, from the domain root or by queries. */
    public static int versionAfterTwo(boolean root) {
        return 0;
    }
}
