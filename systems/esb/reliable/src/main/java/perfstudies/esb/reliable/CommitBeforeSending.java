package perfstudies.esb.reliable;

import java.sql.SQLException;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.interceptor.MessageSenderInterceptor;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.apache.cxf.ws.rm.RMContextUtils;
import org.apache.cxf.ws.rm.RMProperties;
import org.apache.cxf.ws.rm.RMMessageConstants;

/**
 * Commits the client's transaction when CXF has put the message into its store, and before a byte of it leaves.
 *
 * <p>This is the lab's and not CXF's, which sends at once: a message could then be applied whose transaction is rolled
 * back.
 */
final class CommitBeforeSending extends AbstractPhaseInterceptor<Message> {

    private final Database database;
    private final Runnable updated;
    private final Runnable committed;

    CommitBeforeSending(Database database, Runnable updated, Runnable committed) {
        super(Phase.PREPARE_SEND_ENDING);
        // The ending of this one closes the stream, which sends what has been buffered.
        addBefore(MessageSenderInterceptor.MessageSenderEndingInterceptor.class.getName());
        this.database = database;
        this.updated = updated;
        this.committed = committed;
    }

    @Override
    public void handleMessage(Message message) {
        RMProperties properties = RMContextUtils.retrieveRMProperties(message, true);
        boolean again = Boolean.TRUE.equals(message.get(RMMessageConstants.RM_RETRANSMISSION));
        if (again || properties == null || properties.getSequence() == null) {
            return;
        }
        updated.run();
        try {
            database.commit();
        } catch (SQLException e) {
            throw new Fault(e);
        }
        committed.run();
    }
}
