package perfstudies.esb.synapse;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A back end that answers what it is asked, and remembers what that was. The JDK's own server would not do: it spells
 * the names of headers in a way that the pass-through transport does not understand.
 */
final class BackEnd implements AutoCloseable {

    /** A message with this in it gets no answer, but the end of its connection. */
    static final String HANG_UP = "hang up";

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private volatile String received;

    BackEnd() throws IOException {
        start(() -> {
            while (!server.isClosed()) {
                Socket socket = server.accept();
                connections.incrementAndGet();
                sockets.add(socket);
                start(() -> answer(socket));
            }
        });
    }

    String address() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/services/EchoService";
    }

    /** The newest message since the last call. */
    String received() {
        String text = received;
        received = null;
        return text;
    }

    /** How many connections it was asked for. */
    int connections() {
        return connections.get();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private interface Work {

        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // Somebody closed the connection, or the server: the end of the work.
            }
        }, "back end");
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(Socket socket) throws IOException {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream input = new BufferedInputStream(socket.getInputStream());
            while (true) {
                String text = message(input);
                received = text;
                if (text.contains(HANG_UP)) {
                    return;
                }
                byte[] body = text.replace("e:echo", "e:echoResponse").getBytes(StandardCharsets.UTF_8);
                ByteArrayOutputStream answer = new ByteArrayOutputStream();
                answer.writeBytes(("HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=UTF-8\r\nContent-Length: "
                        + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                answer.writeBytes(body);
                socket.getOutputStream().write(answer.toByteArray());
            }
        }
    }

    private static String message(InputStream input) throws IOException {
        int length = -1;
        line(input);
        for (String header = line(input); !header.isEmpty(); header = line(input)) {
            if (header.startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(header.indexOf(':') + 1).strip());
            }
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (length >= 0) {
            body.writeBytes(input.readNBytes(length));
        } else {
            for (int chunk = chunk(input); chunk > 0; chunk = chunk(input)) {
                body.writeBytes(input.readNBytes(chunk));
                line(input);
            }
            line(input);
        }
        return body.toString(StandardCharsets.UTF_8);
    }

    private static int chunk(InputStream input) throws IOException {
        return Integer.parseInt(line(input), 16);
    }

    private static String line(InputStream input) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = input.read(); read != '\n'; read = input.read()) {
            if (read < 0) {
                throw new IOException("the connection ended");
            }
            line.append((char) read);
        }
        return line.toString().strip().toLowerCase(Locale.ROOT);
    }
}
