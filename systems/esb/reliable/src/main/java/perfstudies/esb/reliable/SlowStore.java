package perfstudies.esb.reliable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.cxf.ws.rm.DestinationSequence;
import org.apache.cxf.ws.rm.persistence.RMMessage;
import org.apache.cxf.ws.rm.persistence.jdbc.RMTxStore;

/** CXF's store, which takes its time before it stores what has come in, as one on a slow disk would. */
final class SlowStore extends RMTxStore {

    private final long pauseNs;

    SlowStore(long pauseMs) {
        pauseNs = TimeUnit.MILLISECONDS.toNanos(pauseMs);
    }

    @Override
    public void persistIncoming(DestinationSequence sequence, RMMessage message) {
        LockSupport.parkNanos(pauseNs);
        super.persistIncoming(sequence, message);
    }
}
