package perfstudies.aaa.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.util.Map;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;
import perfstudies.aaa.repository.Populate;
import perfstudies.aaa.repository.SessionPolicies;
import perfstudies.aaa.repository.SessionRow;

class EntityPoliciesTest {

    private final JdbcDataSource database = new JdbcDataSource();
    private final Gauge connections = new Gauge();
    private EntityManagerFactory factory;
    private EntityManager entities;
    private EntityPolicies policies;

    @BeforeEach
    void open() throws Refusal {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        new SessionPolicies(database).prepare();
        // Without a container the test begins and ends the transactions.
        factory = Persistence.createEntityManagerFactory("aaa", Map.of(
                "jakarta.persistence.transactionType", "RESOURCE_LOCAL",
                "jakarta.persistence.jtaDataSource", "",
                "jakarta.persistence.nonJtaDataSource", database,
                "eclipselink.logging.level", "OFF"));
        entities = factory.createEntityManager();
        policies = new EntityPolicies(entities);
    }

    @AfterEach
    void close() {
        entities.close();
        factory.close();
    }

    @Test
    void documentsAreThoseThatTheSessionBeanReads() throws Exception {
        for (String type : Populate.policies().keySet()) {
            assertEquals(new SessionPolicies(database).document(type, connections),
                    policies.document(type, connections));
        }
        assertEquals(0, connections.now());
    }

    @Test
    void anUnknownPolicyIsNamed() {
        Refusal e = assertThrows(Refusal.class, () -> policies.document("none", connections));
        assertEquals(FaultName.UnknownPolicy, e.fault());
    }

    @Test
    void eachTransactionReadsTheDatabaseAgain() throws Exception {
        policies.document("SNBpolicy01", connections);
        try (var connection = database.getConnection(); var statement = connection.createStatement()) {
            statement.execute("UPDATE POLICY SET DOCUMENT = 'changed' WHERE TYPE = 'SNBpolicy01'");
        }
        // The container gives each transaction an entity manager of its own.
        try (EntityManager next = factory.createEntityManager()) {
            assertEquals("changed", new EntityPolicies(next).document("SNBpolicy01", connections));
        }
    }

    @Test
    void endedSessionsAreKept() throws Exception {
        entities.getTransaction().begin();
        policies.store(new SessionRow("aaa-0", "SNBpolicy01", "yes", 5), connections);
        entities.getTransaction().commit();
        try (var connection = database.getConnection(); var statement = connection.createStatement();
                var rows = statement.executeQuery("SELECT NAME, TYPE, ANSWER, ENDED_US FROM SESSION")) {
            rows.next();
            assertEquals("aaa-0 SNBpolicy01 yes 5", rows.getString(1) + " " + rows.getString(2) + " "
                    + rows.getString(3) + " " + rows.getLong(4));
        }
    }

    @Test
    void aDatabaseThatFailsIsTheRepositorysFault() throws Exception {
        try (var connection = database.getConnection(); var statement = connection.createStatement()) {
            statement.execute("DROP TABLE POLICY");
        }
        Refusal e = assertThrows(Refusal.class, () -> policies.document("SNBpolicy01", connections));
        assertEquals(FaultName.RepositoryFailed, e.fault());
        assertEquals(0, connections.now());
    }
}
