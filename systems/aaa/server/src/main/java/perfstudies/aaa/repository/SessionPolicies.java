package perfstudies.aaa.repository;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.log.Gauge;

/** The repository without entity beans: a session bean that asks the database by JDBC itself. */
@Stateless
public class SessionPolicies implements PolicyRepository {

    private static final String FIND = "SELECT DOCUMENT FROM POLICY WHERE TYPE = ?";
    private static final String STORE = "INSERT INTO SESSION (ID, NAME, TYPE, ANSWER, ENDED_US) VALUES (?, ?, ?, ?, ?)";

    /** The one source of connections that the container has to offer. */
    @Resource(name = "jdbc/aaa")
    private DataSource database;

    private interface Work<T> {
        T on(Connection connection) throws SQLException, Refusal;
    }

    public SessionPolicies() {
        // for the container, which injects the source
    }

    /** A repository without a container. */
    public SessionPolicies(DataSource database) {
        this.database = database;
    }

    @Override
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void prepare() throws Refusal {
        run(new Gauge(), connection -> {
            Populate.run(connection);
            return null;
        });
    }

    @Override
    public String document(String type, Gauge connections) throws Refusal {
        return run(connections, connection -> {
            try (PreparedStatement find = connection.prepareStatement(FIND)) {
                find.setString(1, type);
                try (ResultSet rows = find.executeQuery()) {
                    if (!rows.next()) {
                        throw new Refusal(FaultName.UnknownPolicy, "there is no policy " + type);
                    }
                    return rows.getString(1);
                }
            }
        });
    }

    @Override
    public void store(SessionRow session, Gauge connections) throws Refusal {
        run(connections, connection -> {
            try (PreparedStatement store = connection.prepareStatement(STORE)) {
                store.setString(1, UUID.randomUUID().toString());
                store.setString(2, session.name());
                store.setString(3, session.type());
                store.setString(4, session.answer());
                store.setLong(5, session.endedUs());
                return store.executeUpdate();
            }
        });
    }

    private <T> T run(Gauge connections, Work<T> work) throws Refusal {
        try (Connection connection = database.getConnection()) {
            connections.enter();
            try {
                return work.on(connection);
            } finally {
                connections.leave();
            }
        } catch (SQLException e) {
            throw new Refusal(FaultName.RepositoryFailed, "the policy repository failed: " + e.getMessage(), e);
        }
    }
}
