package perfstudies.aaa.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.RuleBasedEngine;
import perfstudies.aaa.modules.ApplicationModule;
import perfstudies.aaa.modules.BandwidthModule;
import perfstudies.aaa.modules.RoamingModule;
import perfstudies.aaa.modules.TicketModule;
import perfstudies.aaa.modules.TimerModule;
import perfstudies.aaa.repository.SessionPolicies;

/** An AAA server with all its parts but the containers: HTTP is the JDK's, and a bean is an object. */
public final class TestServer implements AutoCloseable {

    private final Deployment deployment;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** A server of a deployment, which it closes; another timer than the study's if one is given. */
    public TestServer(Deployment deployment, ApplicationModule timer) throws IOException, Refusal {
        this.deployment = deployment;
        System.setProperty("sun.net.httpserver.nodelay", "true");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        RuleBasedEngine engine = new RuleBasedEngine(timer == null ? bean() : timer, new BandwidthModule(),
                new RoamingModule(), new TicketModule(), new SessionPolicies(database));
        engine.prepare();
        Endpoint endpoint = new Endpoint(deployment, engine);
        http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        http.setExecutor(threads);
        http.createContext("/AAA/server", exchange -> answer(endpoint, exchange));
        http.start();
    }

    private static TimerModule bean() {
        TimerModule bean = new TimerModule();
        bean.made();
        return bean;
    }

    private static void answer(Endpoint endpoint, HttpExchange exchange) throws IOException {
        try (exchange) {
            endpoint.answer(exchange.getRequestHeaders().getFirst("X-Request"),
                    exchange.getRequestHeaders().getFirst("X-Party"), exchange.getRequestBody(),
                    (status, ejbMs, message) -> {
                        if (ejbMs != null) {
                            exchange.getResponseHeaders().set("SOAPAction", ejbMs);
                        }
                        exchange.sendResponseHeaders(status, message.length);
                        exchange.getResponseBody().write(message);
                    });
        }
    }

    public String address() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/AAA/server";
    }

    @Override
    public void close() throws IOException {
        http.stop(0);
        threads.shutdown();
        try {
            // A request is recorded after its answer is out.
            threads.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        deployment.close();
    }
}
