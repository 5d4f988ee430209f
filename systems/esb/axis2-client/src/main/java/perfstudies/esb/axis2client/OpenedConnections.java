package perfstudies.esb.axis2client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.httpclient.params.HttpConnectionParams;
import org.apache.commons.httpclient.protocol.DefaultProtocolSocketFactory;
import org.apache.commons.httpclient.protocol.Protocol;
import org.apache.commons.httpclient.protocol.ProtocolSocketFactory;

/** Counts the connections that this process opens by HTTP, whichever client of commons-httpclient 3 opens them. */
final class OpenedConnections implements ProtocolSocketFactory {

    private static final OpenedConnections COUNTED = new OpenedConnections();
    private static final int PORT = 80;

    static {
        Protocol.registerProtocol("http", new Protocol("http", (ProtocolSocketFactory) COUNTED, PORT));
    }

    private final ProtocolSocketFactory sockets = new DefaultProtocolSocketFactory();
    private final AtomicInteger count = new AtomicInteger();

    private OpenedConnections() {
    }

    /** Returns how many there have been. */
    static int count() {
        return COUNTED.count.get();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return counted(sockets.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) throws IOException {
        return counted(sockets.createSocket(host, port, from, fromPort));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort, HttpConnectionParams params)
            throws IOException {
        return counted(sockets.createSocket(host, port, from, fromPort, params));
    }

    private Socket counted(Socket opened) {
        count.incrementAndGet();
        return opened;
    }
}
