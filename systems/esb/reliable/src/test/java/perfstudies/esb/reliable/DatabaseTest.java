package perfstudies.esb.reliable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {

    private static final String TABLE = "CREATE TABLE IF NOT EXISTS t (n BIGINT)";

    @TempDir
    private Path folder;

    private Database open() throws SQLException {
        return new Database(folder.resolve("data"), TABLE);
    }

    private static void insert(Connection connection, int number) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t VALUES (" + number + ")");
        }
    }

    /** What CXF's store does with a connection: it knows nothing of a transaction around it. */
    private static void store(Database database, int number) throws SQLException {
        try (Connection connection = database.getConnection()) {
            insert(connection, number);
            connection.commit();
        }
    }

    private static long sum(Database database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COALESCE(SUM(n), 0) FROM t")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void whatJoinsATransactionIsCommittedAndRolledBackWithIt() throws Exception {
        try (Database database = open()) {
            database.transaction(connection -> {
                insert(connection, 1);
                store(database, 10);
            });
            assertEquals(11, sum(database));
            assertThrows(IllegalArgumentException.class, () -> database.transaction(connection -> {
                insert(connection, 100);
                store(database, 1000);
                throw new IllegalArgumentException();
            }));
            assertEquals(11, sum(database));
        }
    }

    @Test
    void aTransactionWhoseParticipantRolledBackIsNotCommitted() throws Exception {
        try (Database database = open()) {
            assertThrows(SQLException.class, () -> database.transaction(connection -> {
                insert(connection, 1);
                try (Connection joined = database.getConnection()) {
                    joined.rollback();
                }
            }));
            assertEquals(0, sum(database));
        }
    }

    @Test
    void whatComesAfterAnEarlyCommitBelongsToNoTransaction() throws Exception {
        try (Database database = open()) {
            assertThrows(IllegalArgumentException.class, () -> database.transaction(connection -> {
                insert(connection, 1);
                database.commit();
                store(database, 10);
                throw new IllegalArgumentException();
            }));
            assertEquals(11, sum(database));
        }
    }

    @Test
    void whatIsCommittedSurvivesAKillAndWhatIsNotDoesNot() throws Exception {
        Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path"), Killed.class.getName(), folder.toString()).inheritIO().start();
        assertEquals(true, process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(Halts.STATUS, process.exitValue());
        try (Database database = open()) {
            assertEquals(1, sum(database));
        }
    }

    /** Commits once, and is killed with a second transaction open. */
    static final class Killed {

        private Killed() {
        }

        public static void main(String[] arguments) throws SQLException, IOException {
            Database database = new Database(Path.of(arguments[0], "data"), TABLE);
            database.transaction(connection -> insert(connection, 1));
            database.transaction(connection -> {
                insert(connection, 10);
                Runtime.getRuntime().halt(Halts.STATUS);
            });
        }
    }
}
