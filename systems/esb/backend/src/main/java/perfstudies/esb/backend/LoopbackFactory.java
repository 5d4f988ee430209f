package perfstudies.esb.backend;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.SynchronousQueue;
import org.apache.axis2.AxisFault;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.transport.http.server.DefaultConnectionListener;
import org.apache.axis2.transport.http.server.HttpConnectionManager;
import org.apache.axis2.transport.http.server.HttpFactory;
import org.apache.axis2.transport.http.server.IOProcessor;
import org.apache.http.params.CoreConnectionPNames;
import org.apache.http.params.HttpParams;

/** What Axis2's HTTP server is made of: its own parts, but for who may connect and what happens to many connections. */
final class LoopbackFactory extends HttpFactory {

    /** Connections are kept over pauses between loads; Axis2 closes them after 20 s by default. */
    private static final int IDLE_MS = 600_000;

    /** Up to this size a reply is sent at once: otherwise its head, its body and its end are sent one by one. */
    private static final int BUFFER_BYTES = 16 * 1024;

    private LoopbackListener listener;

    LoopbackFactory(ConfigurationContext context, int port, int coreThreads, int maxThreads) throws AxisFault {
        super(context, port);
        setRequestSocketTimeout(IDLE_MS);
        setRequestCoreThreadPoolSize(coreThreads);
        setRequestMaxThreadPoolSize(maxThreads);
    }

    /**
     * A connection holds a thread as long as it lasts. Axis2's queue has no end: connections beyond the core threads
     * would wait in it for good, and the maximum would mean nothing. With none, each gets a thread up to the maximum,
     * and those beyond that are refused.
     */
    @Override
    public BlockingQueue<Runnable> newRequestBlockingQueue() {
        return new SynchronousQueue<>();
    }

    @Override
    public HttpParams newRequestConnectionParams() {
        return super.newRequestConnectionParams()
                .setIntParameter(CoreConnectionPNames.SOCKET_BUFFER_SIZE, BUFFER_BYTES)
                .setIntParameter(CoreConnectionPNames.MIN_CHUNK_LIMIT, BUFFER_BYTES);
    }

    @Override
    public IOProcessor newRequestConnectionListener(int port, HttpConnectionManager manager, HttpParams params)
            throws IOException {
        listener = new LoopbackListener(port, manager, params);
        return listener;
    }

    /** Returns what listens, once the server has started. */
    DefaultConnectionListener listener() {
        return listener;
    }
}
