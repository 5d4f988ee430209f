package perfstudies.flight.web;

import com.sun.xml.ws.transport.http.servlet.WSServlet;
import jakarta.servlet.Filter;
import jakarta.xml.ws.handler.Handler;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import perfstudies.flight.ws.EndpointFactory;
import perfstudies.flight.ws.FlightEndpoint;

/** The servlet container, in this process and on the loopback address alone. */
public final class FlightServer implements AutoCloseable {

    private static final String CONTEXT_PATH = "/flight-ws";
    private static final String ENDPOINT_PATH = "/endpoint";
    private static final String LOOPBACK = "127.0.0.1";

    private final Tomcat tomcat = new Tomcat();
    private final Path workFolder;

    /** Prepares a server; port 0 takes a free one. */
    @SuppressWarnings("rawtypes") // the handler chain of JAX-WS is a list of raw handlers
    public FlightServer(int port, FlightEndpoint endpoint, List<Handler> handlers, List<Filter> filters)
            throws IOException {
        workFolder = Files.createTempDirectory("flight-ws");
        tomcat.setBaseDir(workFolder.toString());
        tomcat.setSilent(true);
        Connector connector = new Connector();
        connector.setProperty("address", LOOPBACK);
        connector.setPort(port);
        tomcat.setConnector(connector);

        Context context = tomcat.addContext(CONTEXT_PATH, workFolder.toString());
        doNotSearchForLeaks((StandardContext) context);
        context.addServletContainerInitializer((types, servletContext) ->
                EndpointFactory.publish(endpoint, handlers, ENDPOINT_PATH, servletContext), null);
        Wrapper servlet = Tomcat.addServlet(context, "jax-ws", new WSServlet());
        servlet.setLoadOnStartup(1);
        context.addServletMappingDecoded(ENDPOINT_PATH, "jax-ws");
        for (Filter filter : filters) {
            addFilter(context, filter);
        }
    }

    /** Starts the server and returns when it really answers. */
    public void start() throws LifecycleException, IOException {
        tomcat.start();
        if (tomcat.getConnector().getState() != LifecycleState.STARTED) {
            throw new IOException("the server cannot listen on port " + tomcat.getConnector().getPort());
        }
        URI contract = URI.create(address() + "?wsdl");
        HttpURLConnection connection = (HttpURLConnection) contract.toURL().openConnection();
        int status = connection.getResponseCode();
        connection.disconnect();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException("the server answered " + status + " to GET " + contract);
        }
    }

    /** Where the operations are called. */
    public String address() {
        return "http://" + LOOPBACK + ":" + tomcat.getConnector().getLocalPort() + CONTEXT_PATH + ENDPOINT_PATH;
    }

    @Override
    public void close() throws LifecycleException, IOException {
        if (tomcat.getServer().getState() == LifecycleState.DESTROYED) {
            return;
        }
        tomcat.stop();
        tomcat.destroy();
        try (Stream<Path> files = Files.walk(workFolder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A web application that ends with its process leaves nothing behind, and the search needs an open JDK. */
    private static void doNotSearchForLeaks(StandardContext context) {
        context.setClearReferencesRmiTargets(false);
        context.setClearReferencesThreadLocals(false);
    }

    private static void addFilter(Context context, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(filter.getClass().getSimpleName());
        definition.setFilter(filter);
        context.addFilterDef(definition);
        FilterMap mapping = new FilterMap();
        mapping.setFilterName(definition.getFilterName());
        mapping.addURLPatternDecoded(ENDPOINT_PATH);
        context.addFilterMap(mapping);
    }
}
