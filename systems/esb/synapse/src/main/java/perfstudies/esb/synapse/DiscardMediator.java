package perfstudies.esb.synapse;

import org.apache.synapse.MessageContext;
import org.apache.synapse.core.axis2.Axis2MessageContext;
import org.apache.synapse.mediators.AbstractMediator;
import org.apache.synapse.transport.passthru.PassThroughConstants;
import org.apache.synapse.transport.passthru.Pipe;
import org.apache.synapse.transport.passthru.util.PassThroughTransportUtils;

/**
 * Gives up what is left of a request that nobody is going to read, and lets the mediators that follow take it for read.
 *
 * <p>Without it, they would fail on half a message, and the client would never get an answer. Nor may the answer go
 * through the request's pipe: the connection that broke gave its buffer back already, and would have it given back
 * twice, so that two later messages would be written into one buffer.
 */
public final class DiscardMediator extends AbstractMediator {

    @Override
    public boolean mediate(MessageContext message) {
        org.apache.axis2.context.MessageContext inner = ((Axis2MessageContext) message).getAxis2MessageContext();
        if (!PassThroughTransportUtils.builderInvoked(inner)
                && inner.getProperty(PassThroughConstants.PASS_THROUGH_PIPE) instanceof Pipe pipe) {
            // What the client still sends is thrown away.
            pipe.consumerError();
            inner.setProperty(PassThroughConstants.MESSAGE_BUILDER_INVOKED, Boolean.TRUE);
        }
        inner.removeProperty(PassThroughConstants.PASS_THROUGH_PIPE);
        return true;
    }

    @Override
    public boolean isContentAware() {
        return false;
    }
}
