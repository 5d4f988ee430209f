package perfstudies.flight.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.coyote.http11.Http11Protocol;
import org.apache.tomcat.util.net.ServerSocketFactory;

/**
 * HTTP at a port that the system chose, which Tomcat 6 does not tell, with threads and connections that end with it, as
 * Tomcat's own do not. The connector makes it by its class's name.
 */
public final class FreePortProtocol extends Http11Protocol {

    /** Tomcat's own default. */
    private static final int MOST_THREADS = 200;

    private final KnownSocket sockets = new KnownSocket();
    private final ExecutorService threads =
            new ThreadPoolExecutor(0, MOST_THREADS, 1, TimeUnit.MINUTES, new SynchronousQueue<>());

    public FreePortProtocol() {
        endpoint.setServerSocketFactory(sockets);
        endpoint.setExecutor(threads);
    }

    @Override
    public void destroy() throws Exception {
        super.destroy();
        threads.shutdown();
        sockets.close();
    }

    /** Where it really listens; 0 before it does. */
    int localPort() {
        return sockets.opened == null ? 0 : sockets.opened.getLocalPort();
    }

    /** Plain sockets: the last one that listened is known, and so are the connections that are open. */
    private static final class KnownSocket extends ServerSocketFactory {

        private final ServerSocketFactory plain = ServerSocketFactory.getDefault();
        private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
        private volatile ServerSocket opened;

        @Override
        public ServerSocket createSocket(int port) throws IOException, InstantiationException {
            return known(plain.createSocket(port));
        }

        @Override
        public ServerSocket createSocket(int port, int backlog) throws IOException, InstantiationException {
            return known(plain.createSocket(port, backlog));
        }

        @Override
        public ServerSocket createSocket(int port, int backlog, InetAddress address)
                throws IOException, InstantiationException {
            return known(plain.createSocket(port, backlog, address));
        }

        private ServerSocket known(ServerSocket socket) {
            opened = socket;
            return socket;
        }

        @Override
        public Socket acceptSocket(ServerSocket socket) throws IOException {
            Socket connection = plain.acceptSocket(socket);
            connections.removeIf(Socket::isClosed);
            connections.add(connection);
            return connection;
        }

        /** Ends connections that clients keep for their next request. */
        private void close() throws IOException {
            for (Socket connection : connections) {
                connection.close();
            }
        }

        @Override
        public void handshake(Socket socket) throws IOException {
            plain.handshake(socket);
        }
    }
}
