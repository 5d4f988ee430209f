package perfstudies.esb.camel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.apache.camel.component.jetty.JettyHttpEndpoint;
import org.apache.camel.component.jetty12.JettyHttpComponent12;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Camel's Jetty on a socket of the loopback interface that is there before any address is written into a route. So the
 * port can be a free one, and the queue of new connections long enough for a thousand that come together.
 */
final class LoopbackJetty extends JettyHttpComponent12 implements AutoCloseable {

    private static final int NEW_CONNECTIONS = 4096;

    private final ServerSocketChannel socket;

    /** Binds a port, or a free one for 0. */
    LoopbackJetty(int port, Threads threads) throws IOException {
        socket = ServerSocketChannel.open();
        try {
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port),
                    NEW_CONNECTIONS);
        } catch (IOException e) {
            socket.close();
            throw new IOException("port " + port + " cannot be bound: " + e.getMessage(), e);
        }
        setMinThreads(threads.least());
        setMaxThreads(threads.most());
        setSendServerVersion(false);
    }

    String address() throws IOException {
        return "http://127.0.0.1:" + ((InetSocketAddress) socket.getLocalAddress()).getPort();
    }

    @Override
    protected AbstractConnector createConnectorJettyInternal(Server server, JettyHttpEndpoint endpoint,
            SslContextFactory.Server encryption) {
        ServerConnector connector =
                (ServerConnector) super.createConnectorJettyInternal(server, endpoint, encryption);
        try {
            connector.open(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return connector;
    }

    /** Frees the port, which Jetty does as well if it came so far. */
    @Override
    public void close() throws IOException {
        super.close();
        socket.close();
    }
}
