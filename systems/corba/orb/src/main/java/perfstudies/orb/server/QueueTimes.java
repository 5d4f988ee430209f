package perfstudies.orb.server;

import org.jacorb.orb.dsi.ServerRequest;
import org.jacorb.poa.RequestQueueListener;
import perfstudies.orb.RequestNumber;
import perfstudies.orb.server.ServerRecord.Event;

/** Sees the POA's queue: added to by the receivers, taken from by the controller. JacORB holds its lock meanwhile. */
public final class QueueTimes implements RequestQueueListener {

    @Override
    public void requestAddedToQueue(ServerRequest request, int queueLength) {
        Receiver.queued(RequestNumber.of(request.getServiceContext()), queueLength);
    }

    @Override
    public void requestRemovedFromQueue(ServerRequest request, int queueLength) {
        ServerRecord.current().note(Event.REMOVED, RequestNumber.of(request.getServiceContext()), System.nanoTime());
    }
}
