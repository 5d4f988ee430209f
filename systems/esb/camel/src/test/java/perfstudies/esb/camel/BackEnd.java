package perfstudies.esb.camel;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A back end that keeps what it is sent and answers what it is told, or the same back. */
final class BackEnd implements AutoCloseable {

    record Received(Headers headers, byte[] body) {
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    final ConcurrentLinkedQueue<Received> received = new ConcurrentLinkedQueue<>();
    final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
    /** Answers wait until this many messages are here. */
    volatile CountDownLatch together = new CountDownLatch(0);
    volatile int status = 200;
    volatile byte[] answer;

    /** Starts at a port, or at a free one for 0. */
    BackEnd(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 1000);
        server.setExecutor(threads);
        server.createContext("/services/EchoService", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        connections.add(exchange.getRemoteAddress());
        byte[] body = exchange.getRequestBody().readAllBytes();
        received.add(new Received(exchange.getRequestHeaders(), body));
        together.countDown();
        try {
            together.await();
        } catch (InterruptedException e) {
            return;
        }
        byte[] reply = answer == null ? body : answer;
        exchange.getResponseHeaders().set("Content-Type", "text/xml; charset=UTF-8");
        // Of a length that is not known before, as Axis2 does it.
        exchange.sendResponseHeaders(status, 0);
        exchange.getResponseBody().write(reply);
        exchange.close();
    }

    int port() {
        return server.getAddress().getPort();
    }

    String address() {
        return "http://127.0.0.1:" + port() + "/services/EchoService";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
