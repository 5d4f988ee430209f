package perfstudies.esb.reliable;

import jakarta.jws.WebService;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.phase.PhaseInterceptorChain;
import org.apache.cxf.ws.rm.RMContextUtils;
import org.apache.cxf.ws.rm.v200702.SequenceType;
import perfstudies.esb.reliable.Halts.Place;

/**
 * The server's application: each message adds a row, so that what is applied twice is there twice.
 *
 * <p>In the transactional model, and only there, the same transaction takes the message from CXF's store. A message
 * that is not in the store any more has been applied: it is a duplicate, and nothing happens.
 */
@WebService(endpointInterface = "perfstudies.esb.reliable.Ledger", targetNamespace = Ledger.NAMESPACE,
        serviceName = "LedgerService", portName = "LedgerPort")
public class LedgerService implements Ledger {

    static final String TABLE = "CREATE TABLE IF NOT EXISTS applied"
            + " (id IDENTITY PRIMARY KEY, number BIGINT NOT NULL, text VARCHAR NOT NULL)";
    private static final String TAKE = "DELETE FROM CXF_RM_INBOUND_MESSAGES WHERE SEQ_ID = ? AND MSG_NO = ?";
    private static final String APPLY = "INSERT INTO applied (number, text) VALUES (?, ?)";

    private final Database database;
    private final Delivery delivery;
    private final Halts halts;

    LedgerService(Database database, Delivery delivery, Halts halts) {
        this.database = database;
        this.delivery = delivery;
        this.halts = halts;
    }

    @Override
    public long apply(long number, String text) {
        post(number, text);
        return number;
    }

    @Override
    public void post(long number, String text) {
        halts.reached(Place.RECEIVED, number);
        try {
            database.transaction(connection -> {
                if (delivery != Delivery.TRANSACTIONAL || take(connection)) {
                    insert(connection, number, text);
                    halts.reached(Place.UPDATED, number);
                }
            });
        } catch (SQLException e) {
            throw new Fault(e);
        }
        halts.reached(Place.COMMITTED, number);
    }

    private static void insert(Connection connection, long number, String text) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(APPLY)) {
            statement.setLong(1, number);
            statement.setString(2, text);
            statement.executeUpdate();
        }
    }

    private static boolean take(Connection connection) throws SQLException {
        SequenceType sequence = RMContextUtils
                .retrieveRMProperties(PhaseInterceptorChain.getCurrentMessage(), false).getSequence();
        try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
            statement.setString(1, sequence.getIdentifier().getValue());
            statement.setLong(2, sequence.getMessageNumber());
            return statement.executeUpdate() == 1;
        }
    }
}
