package perfstudies.aaa.openejb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.StuckThreadDetectionValve;
import perfstudies.aaa.Settings;
import perfstudies.aaa.launch.Container;

/**
 * Tomcat with the application's servlet. It is made anew for every deployment, so each setting counts from its start.
 *
 * <ul>
 * <li>{@code http.threads}, {@code http.queue}: of {@code threads + queue} requests at once each is served; the
 * connection of any further one is closed without an answer, and the others do not notice.
 * <li>{@code http.acceptors} has no effect: Tomcat has one thread that accepts connections.
 * <li>{@code http.connections} are open at once; further ones, as many again, wait in the system's queue until one
 * ends.
 * <li>{@code http.timeout_s}: a connection without a request, or with an unfinished one, is closed then.
 * <li>{@code http.request_timeout_s}: the request's thread is interrupted then, to the second.
 * </ul>
 */
final class WebServer implements AutoCloseable {

    private static final String SERVLET = "perfstudies.aaa.web.AaaServlet";
    private static final String ENGINE_ATTRIBUTE = "aaa.engine";
    private static final String ENDPOINT_PATH = "/server";

    private final Tomcat tomcat = new Tomcat();

    /** Prepares a server with the settings' pools, whose servlet calls this engine. */
    WebServer(Settings settings, Path folder, ClassLoader loader, Object engine) throws IOException {
        tomcat.setBaseDir(Files.createDirectories(folder.resolve("tomcat")).toString());
        tomcat.setSilent(true);
        tomcat.setConnector(connector(settings));
        // How often it looks for requests that have become too old.
        tomcat.getEngine().setBackgroundProcessorDelay(1);

        Context context = tomcat.addContext(Container.CONTEXT_PATH, null);
        context.setParentClassLoader(loader);
        doNotSearchForLeaks((StandardContext) context);
        context.getServletContext().setAttribute(ENGINE_ATTRIBUTE, engine);
        context.getPipeline().addValve(timeout(settings));
        Wrapper servlet = Tomcat.addServlet(context, "aaa", SERVLET);
        servlet.setLoadOnStartup(1);
        context.addServletMappingDecoded(ENDPOINT_PATH, "aaa");
    }

    /** Opens the port and says which it is. */
    int start() throws LifecycleException, IOException {
        tomcat.start();
        if (tomcat.getConnector().getState() != LifecycleState.STARTED) {
            throw new IOException("the server cannot listen on port " + tomcat.getConnector().getPort());
        }
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    public void close() throws LifecycleException {
        if (tomcat.getServer().getState() != LifecycleState.DESTROYED) {
            tomcat.stop();
            tomcat.destroy();
        }
    }

    private static Connector connector(Settings settings) {
        Connector connector = new Connector();
        connector.setPort(settings.whole("port"));
        set(connector, "address", settings.text("address"));
        set(connector, "maxThreads", settings.text("http.threads"));
        set(connector, "minSpareThreads", settings.text("http.threads"));
        int queue = settings.whole("http.queue");
        set(connector, "maxQueueSize", String.valueOf(queue < 0 ? Integer.MAX_VALUE : queue));
        set(connector, "maxConnections", settings.text("http.connections"));
        set(connector, "acceptCount", settings.text("http.connections"));
        String timeout = settings.text("http.timeout_s") + "000";
        set(connector, "connectionTimeout", timeout);
        set(connector, "keepAliveTimeout", timeout);
        set(connector, "maxKeepAliveRequests", "-1");
        return connector;
    }

    private static void set(Connector connector, String name, String value) {
        if (!connector.setProperty(name, value)) {
            throw new IllegalStateException("Tomcat has no property " + name);
        }
    }

    /** Interrupts a request's thread as GlassFish does; Tomcat by itself has no limit. */
    private static StuckThreadDetectionValve timeout(Settings settings) {
        StuckThreadDetectionValve valve = new StuckThreadDetectionValve();
        valve.setThreshold(settings.whole("http.request_timeout_s"));
        valve.setInterruptThreadThreshold(settings.whole("http.request_timeout_s"));
        return valve;
    }

    /** The search needs an open JDK, and the application's class loader goes with the deployment anyway. */
    private static void doNotSearchForLeaks(StandardContext context) {
        context.setClearReferencesRmiTargets(false);
        context.setClearReferencesThreadLocals(false);
        context.setClearReferencesObjectStreamClassCaches(false);
    }
}
