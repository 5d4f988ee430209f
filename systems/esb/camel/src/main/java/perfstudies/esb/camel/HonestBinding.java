package perfstudies.esb.camel;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.http.common.DefaultHttpBinding;
import org.apache.camel.util.IOHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Camel's way to write an answer, but for an answer that breaks off. Without a cache it is being sent on already, and
 * Camel would end it as if it were whole. Here its end is never sent, and the connection is closed.
 */
final class HonestBinding extends DefaultHttpBinding {

    /** How the routes call it. */
    static final String NAME = "honest";

    /** What Jetty takes as the order to close the connection at once. */
    private static final int ABORT = -1;

    private static final Logger LOG = LoggerFactory.getLogger(HonestBinding.class);

    HonestBinding() {
        // No stack traces to clients.
        setMuteException(true);
    }

    @Override
    public void doWriteResponse(Message message, HttpServletResponse response, Exchange exchange)
            throws IOException {
        try {
            super.doWriteResponse(message, response, exchange);
        } catch (IOException e) {
            LOG.warn("an answer broke off: {}", e.toString());
            response.sendError(ABORT);
        }
    }

    @Override
    protected int copyStream(InputStream from, OutputStream to, int bufferBytes) throws IOException {
        int copied = IOHelper.copy(from, to, bufferBytes, true);
        // To close the answer is to end it, so not in a finally clause as Camel does.
        IOHelper.close(to, from);
        return copied;
    }
}
