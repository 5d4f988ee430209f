package perfstudies.aaa.glassfish;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.glassfish.embeddable.GlassFishException;
import perfstudies.aaa.Settings;
import perfstudies.aaa.launch.Container;

/**
 * GlassFish, which runs from the first deployment on. Between deployments its port is closed: that cuts all
 * connections, drops the requests that wait and ends the threads, so that nothing of one deployment gets into the
 * next, and whatever is set meanwhile counts from the moment when the port opens again. (Threads, queue and
 * acceptors would take effect with an open port too.) A deployment leaves about 1.5 MB and a thread behind.
 *
 * <p>What the settings do, as tried with version 7.0.25:
 *
 * <ul>
 * <li>{@code http.threads}: so many requests at once are in the servlet, no more.
 * <li>{@code http.queue}: so many requests wait for a thread. Every request passes through the queue, so a burst
 * can overflow it while threads are free. A request that overflows it gets no answer: its connection is closed
 * without a byte. So are, at times, connections whose requests wait or are being served: after an overflow the
 * selector comes back to connections that it has dealt with. In a burst, even all requests may go unanswered.
 * Without a limit (-1) none is lost.
 * <li>{@code http.acceptors}: so many selector threads accept connections and read from them.
 * <li>{@code http.connections}: the system's queue of connections that are not accepted yet, further bounded by the
 * system (net.core.somaxconn). It does not limit how many are open.
 * <li>{@code http.timeout_s}: a connection without a request, or with an unfinished one, is closed then or a
 * second later.
 * <li>{@code http.request_timeout_s}: the request's thread is interrupted then or a second later.
 * <li>{@code ejb.max}: so many idle beans are kept. It does not limit how many work at once, for which further
 * beans are made and thrown away. Hence {@code ejb.strict} and {@code ejb.access_timeout_ms} have no effect.
 * <li>{@code ejb.steady}: no bean is made at deployment. When a call leaves fewer idle ones than these, others are
 * made in the background: as many as are missing, rounded up to whole steps of {@code ejb.resize}.
 * <li>{@code ejb.idle_s}: each time so long has passed, {@code ejb.resize} of the beans beyond the steady number go.
 * </ul>
 */
final class GlassFishContainer implements Container {

    private static final String NAME = "aaa";
    private static final String THREADS = "thread-pools.thread-pool.http-thread-pool.";
    private static final String TRANSPORT = "network-config.transports.transport.tcp.";
    private static final String HTTP = "network-config.protocols.protocol.http-listener.http.";
    private static final String LISTENER = "network-config.network-listeners.network-listener.http-listener.";
    private static final String BEANS = "ejb-container.";

    private Server server;
    private boolean hasDataSource;

    @Override
    public int deploy(Settings settings, Path application, Path folder) throws GlassFishException, IOException {
        if (server == null) {
            server = new Server(folder);
        }
        // A minimum above the maximum is refused, even in between.
        server.set(Map.of(THREADS + "min-thread-pool-size", 1));
        server.set(values(settings));
        hasDataSource = true;
        DataSources.create(server, settings, folder);
        server.deploy(application, NAME, CONTEXT_PATH);
        int port = freePort(settings);
        server.set(Map.of(LISTENER + "port", port));
        listen(true);
        return port;
    }

    private static Map<String, Object> values(Settings settings) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(THREADS + "max-thread-pool-size", settings.whole("http.threads"));
        values.put(THREADS + "min-thread-pool-size", settings.whole("http.threads"));
        values.put(THREADS + "max-queue-size", settings.whole("http.queue"));
        values.put(TRANSPORT + "acceptor-threads", settings.whole("http.acceptors"));
        values.put(TRANSPORT + "max-connections-count", settings.whole("http.connections"));
        values.put(HTTP + "timeout-seconds", settings.whole("http.timeout_s"));
        values.put(HTTP + "request-timeout-seconds", settings.whole("http.request_timeout_s"));
        // This one is how many requests a connection may carry.
        values.put(HTTP + "max-connections", -1);
        values.put(LISTENER + "address", settings.text("address"));
        values.put(BEANS + "steady-pool-size", settings.whole("ejb.steady"));
        values.put(BEANS + "max-pool-size", settings.whole("ejb.max"));
        values.put(BEANS + "pool-resize-quantity", settings.whole("ejb.resize"));
        values.put(BEANS + "pool-idle-timeout-in-seconds", settings.whole("ejb.idle_s"));
        return values;
    }

    @Override
    public void undeploy() throws GlassFishException {
        if (server == null) {
            return;
        }
        listen(false);
        server.undeploy(NAME);
        if (hasDataSource) {
            hasDataSource = false;
            DataSources.delete(server);
        }
    }

    @Override
    public void close() throws GlassFishException {
        Server old = server;
        server = null;
        hasDataSource = false;
        if (old != null) {
            old.stop();
        }
    }

    private void listen(boolean enabled) throws GlassFishException {
        server.set(Map.of(LISTENER + "enabled", enabled));
    }

    /** GlassFish takes 0 for a port, but does not say which it took. Asked for at the last moment, it is still free. */
    private static int freePort(Settings settings) throws IOException {
        try (ServerSocket socket = new ServerSocket(settings.whole("port"), 1,
                InetAddress.getByName(settings.text("address")))) {
            return socket.getLocalPort();
        }
    }
}
