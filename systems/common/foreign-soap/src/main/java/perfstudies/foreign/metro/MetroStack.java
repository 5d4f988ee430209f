package perfstudies.foreign.metro;

import com.sun.net.httpserver.BasicAuthenticator;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpServer;
import com.sun.xml.ws.spi.ProviderImpl;
import jakarta.xml.ws.Endpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import perfstudies.foreign.Shops;
import perfstudies.foreign.Stack;

/** All endpoints, and one more that asks for name and password by HTTP. */
public final class MetroStack implements Stack {

    private final List<Endpoint> endpoints = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @Override
    public String start() throws Exception {
        // Without it each answer waits for the acknowledgement of its head: 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
        server.setExecutor(threads);
        Shops.byPath().forEach((path, shop) -> publish(server.createContext("/" + path), shop));
        HttpContext guarded = server.createContext("/basic");
        guarded.setAuthenticator(new BasicAuthenticator("shop") {
            @Override
            public boolean checkCredentials(String user, String password) {
                return user.equals(USER) && password.equals(PASSWORD);
            }
        });
        publish(guarded, new Shops.Wrapped());
        server.start();
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void publish(HttpContext context, Object shop) {
        // Named, since another implementation is on the same class path.
        Endpoint endpoint = new ProviderImpl().createEndpoint(null, shop);
        endpoint.publish(context);
        endpoints.add(endpoint);
    }

    @Override
    public void stop() {
        endpoints.forEach(Endpoint::stop);
        if (server != null) {
            server.stop(0);
        }
        threads.shutdownNow();
    }
}
