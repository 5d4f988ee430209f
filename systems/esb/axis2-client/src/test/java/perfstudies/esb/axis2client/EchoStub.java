package perfstudies.esb.axis2client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers chunked SOAP requests over kept connections with what they hold, or with another volume. */
final class EchoStub implements AutoCloseable {

    private static final Pattern CONTENT = Pattern.compile("<(\\w+:)echo( .*|>.*)</\\w+:echo>", Pattern.DOTALL);

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    /** How many requests have to be there before one of them is answered; none if null. */
    private final CyclicBarrier together;
    private volatile String answered;

    EchoStub(int together) throws IOException {
        this.together = together > 1 ? new CyclicBarrier(together) : null;
        Thread accepting = new Thread(this::accept, "accept");
        accepting.setDaemon(true);
        accepting.start();
    }

    String address() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/services/EchoService";
    }

    int mostAtOnce() {
        return most.get();
    }

    /** Answers all requests with the same content from now on. */
    void answerAlways(String content) {
        answered = content;
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = listener.accept();
                Thread serving = new Thread(() -> serve(connection), "serve");
                serving.setDaemon(true);
                serving.start();
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            while (!line(in).isEmpty()) {
                while (!line(in).isEmpty()) {
                    // The other headers say nothing that matters here.
                }
                String request = chunks(in);
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                if (together != null) {
                    together.await();
                }
                now.decrementAndGet();
                connection.getOutputStream().write(answer(request));
            }
        } catch (Exception e) {
            // The client has gone.
        }
    }

    private byte[] answer(String request) {
        Matcher content = CONTENT.matcher(request);
        String echoed = answered;
        if (echoed == null && content.find()) {
            echoed = "<" + content.group(1) + "echoResponse" + content.group(2) + "</" + content.group(1)
                    + "echoResponse>";
        }
        String body = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>" + echoed
                + "</e:Body></e:Envelope>";
        return ("HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static String chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int length;
        do {
            length = Integer.parseInt(line(in), 16);
            body.write(in.readNBytes(length));
            line(in);
        } while (length > 0);
        return body.toString(StandardCharsets.UTF_8);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("the connection ended");
            }
            if (read != '\r') {
                line.append((char) read);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
