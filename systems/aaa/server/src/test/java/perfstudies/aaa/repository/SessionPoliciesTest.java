package perfstudies.aaa.repository;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;

class SessionPoliciesTest {

    private final JdbcDataSource database = new JdbcDataSource();
    private final SessionPolicies policies = new SessionPolicies(database);
    private final Gauge connections = new Gauge();

    @BeforeEach
    void open() throws Refusal {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        policies.prepare();
    }

    @Test
    void aDocumentIsFoundByItsType() throws Exception {
        for (var policy : Populate.policies().entrySet()) {
            assertEquals(policy.getValue(), policies.document(policy.getKey(), connections));
        }
        assertEquals(1, connections.takeMost());
        assertEquals(0, connections.now());
    }

    @Test
    void anUnknownPolicyIsNamed() {
        Refusal e = assertThrows(Refusal.class, () -> policies.document("x' OR '1'='1", connections));
        assertEquals(FaultName.UnknownPolicy, e.fault());
        assertTrue(e.getMessage().contains("x' OR '1'='1"));
    }

    @Test
    void preparingAgainChangesNothing() throws Exception {
        execute("DELETE FROM POLICY WHERE TYPE <> 'SNBpolicy01'");
        policies.prepare();
        assertEquals(1, number("SELECT COUNT(*) FROM POLICY"));
    }

    @Test
    void aRepositoryIsFilledWhollyOrNotAtAll() throws Exception {
        execute("DROP TABLE POLICY");
        execute("CREATE TABLE POLICY (TYPE VARCHAR(64) PRIMARY KEY, VERSION VARCHAR(64), DOCUMENT VARCHAR(2000))");
        assertThrows(Refusal.class, policies::prepare);
        assertEquals(0, number("SELECT COUNT(*) FROM POLICY"));
        execute("ALTER TABLE POLICY ALTER COLUMN DOCUMENT LONGTEXT");
        policies.prepare();
        assertEquals(Populate.policies().size(), number("SELECT COUNT(*) FROM POLICY"));
    }

    @Test
    void endedSessionsAreKept() throws Exception {
        policies.store(new SessionRow("aaa-0", "SNBpolicy01", "yes", 5), connections);
        policies.store(new SessionRow("aaa-0", "SNBpolicy01", "no", 6), connections);
        assertEquals(2, number("SELECT COUNT(*) FROM SESSION WHERE NAME = 'aaa-0' AND TYPE = 'SNBpolicy01'"));
        assertEquals(6, number("SELECT ENDED_US FROM SESSION WHERE ANSWER = 'no'"));
    }

    @Test
    void aDatabaseThatFailsIsTheRepositorysFault() throws Exception {
        execute("DROP TABLE POLICY");
        Refusal e = assertThrows(Refusal.class, () -> policies.document("SNBpolicy01", connections));
        assertEquals(FaultName.RepositoryFailed, e.fault());
        assertEquals(0, connections.now());
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
