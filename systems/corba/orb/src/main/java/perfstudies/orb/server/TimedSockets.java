package perfstudies.orb.server;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import org.jacorb.orb.factory.ServerSocketFactory;

/** The server's sockets: they listen on loopback only, and tell when their connection's threads read and write. */
public final class TimedSockets implements ServerSocketFactory {

    private static final int BACKLOG = 50;

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return createServerSocket(port, BACKLOG);
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port, backlog, InetAddress.getLoopbackAddress());
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        if (!address.isLoopbackAddress()) {
            throw new SocketException(address + " is not an address of the loopback interface");
        }
        return new TimedServerSocket(port, backlog, address);
    }

    private static final class TimedServerSocket extends ServerSocket {

        TimedServerSocket(int port, int backlog, InetAddress address) throws IOException {
            super(port, backlog, address);
        }

        @Override
        public Socket accept() throws IOException {
            if (isClosed()) {
                throw new SocketException("the socket is closed");
            }
            Socket socket = new TimedSocket();
            implAccept(socket);
            return socket;
        }
    }

    private static final class TimedSocket extends Socket {

        /** As {@link ServerSocket#accept()} does: what accepts gives it its implementation. */
        TimedSocket() throws SocketException {
            super((SocketImpl) null);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new TimedInput(super.getInputStream());
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new TimedOutput(super.getOutputStream());
        }
    }

    private static final class TimedInput extends FilterInputStream {

        private final Receiver receiver = new Receiver();

        TimedInput(InputStream in) {
            super(in);
        }

        /** The one that JacORB uses. */
        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            receiver.readBegins();
            int count = in.read(bytes, offset, length);
            receiver.readEnds(count);
            return count;
        }
    }

    private static final class TimedOutput extends FilterOutputStream {

        TimedOutput(OutputStream out) {
            super(out);
        }

        /** The one that JacORB's buffer empties itself by. */
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            Dispatcher.replied();
        }
    }
}
