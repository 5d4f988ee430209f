package perfstudies.esb.backend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.axis2.transport.http.server.AxisHttpConnection;
import org.apache.axis2.transport.http.server.AxisHttpConnectionImpl;
import org.apache.axis2.transport.http.server.DefaultConnectionListener;
import org.apache.axis2.transport.http.server.DefaultConnectionListenerFailureHandler;
import org.apache.axis2.transport.http.server.HttpConnectionManager;
import org.apache.http.HttpException;
import org.apache.http.HttpStatus;
import org.apache.http.HttpVersion;
import org.apache.http.impl.DefaultHttpResponseFactory;
import org.apache.http.params.HttpParams;

/**
 * Accepts connections, as Axis2's own listener does, but from this machine only: that one always listens on every
 * interface. It also lets more of them wait than the 50 of Java's default: of a thousand clients that connect at once
 * the others would try again a second later. And it goes on when it could not accept some, where that one gives up.
 */
final class LoopbackListener extends DefaultConnectionListener {

    private static final int WAITING = 4096;
    /** Between two tries when none can be accepted, so that the others are served meanwhile. */
    private static final long PAUSE_NS = 100_000_000;

    private final HttpConnectionManager manager;
    private final HttpParams parameters;
    private final ServerSocket socket;

    LoopbackListener(int port, HttpConnectionManager manager, HttpParams parameters) throws IOException {
        super(port, manager, new DefaultConnectionListenerFailureHandler(), parameters);
        this.manager = manager;
        this.parameters = parameters;
        socket = new ServerSocket(port, WAITING, InetAddress.getByName("127.0.0.1"));
    }

    @Override
    public void run() {
        while (!socket.isClosed()) {
            try {
                accept(socket.accept());
            } catch (IOException | OutOfMemoryError e) {
                // It is an error of memory too if the machine has no thread left for a connection.
                if (!socket.isClosed()) {
                    // Not by way of a logger: without a file left to open, its first message fails too.
                    System.err.println("esb-backend: a connection could not be accepted: " + e);
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }
    }

    private void accept(Socket client) throws IOException {
        boolean served = false;
        try {
            AxisHttpConnection connection = new AxisHttpConnectionImpl(client, parameters);
            try {
                manager.process(connection);
                served = true;
            } catch (RejectedExecutionException e) {
                refuse(connection);
            }
        } finally {
            if (!served) {
                client.close();
            }
        }
    }

    private static void refuse(AxisHttpConnection connection) throws IOException {
        try {
            connection.sendResponse(new DefaultHttpResponseFactory()
                    .newHttpResponse(HttpVersion.HTTP_1_0, HttpStatus.SC_SERVICE_UNAVAILABLE, null));
        } catch (HttpException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void awaitSocketOpen() {
        // It has been open since this was made.
    }

    @Override
    public int getPort() {
        return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
