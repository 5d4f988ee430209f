package perfstudies.flight.web;

import com.sun.xml.ws.transport.http.servlet.WSServlet;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.servlet.Filter;
import javax.xml.ws.handler.Handler;
import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.ServerFactory;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.deploy.FilterDef;
import org.apache.catalina.deploy.FilterMap;
import org.apache.catalina.startup.Embedded;
import perfstudies.flight.ws.EndpointFactory;
import perfstudies.flight.ws.FlightEndpoint;

/** The servlet container, in this process and on the loopback address alone. */
public final class FlightServer implements AutoCloseable {

    private static final String CONTEXT_PATH = "/flight-ws";
    private static final String ENDPOINT_PATH = "/endpoint";
    private static final String LOOPBACK = "127.0.0.1";
    /** Tomcat finds its own parts by the server's name, which no two of a process may share. */
    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final Embedded tomcat = new Embedded();
    private final Connector connector;
    private final Path workFolder;
    private boolean stopped;

    /** Prepares a server; port 0 takes a free one. */
    @SuppressWarnings("rawtypes") // the handler chain of JAX-WS is a list of raw handlers
    public FlightServer(int port, FlightEndpoint endpoint, List<Handler> handlers, List<Filter> filters)
            throws IOException {
        workFolder = Files.createTempDirectory("flight-ws");
        String name = "flight-" + SERVERS.incrementAndGet();
        StandardContext context = context(endpoint, handlers, filters);
        tomcat.setName(name);
        tomcat.setCatalinaHome(workFolder.toString());
        tomcat.setUseNaming(false);
        tomcat.addEngine(engine(name, context));
        connector = connector(port);
        tomcat.addConnector(connector);
        // Where connectors look their hosts up; one that finds none refuses every request.
        ServerFactory.getServer().addService(tomcat);
    }

    /** Starts the server and returns when it really answers. */
    public void start() throws LifecycleException, IOException {
        try {
            tomcat.start();
        } catch (LifecycleException e) {
            throw new IOException("the server cannot listen on port " + connector.getPort(), e);
        }
        URI contract = URI.create(address() + "?wsdl");
        HttpURLConnection connection = (HttpURLConnection) contract.toURL().openConnection();
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK) {
            try (InputStream description = connection.getInputStream()) {
                // Who leaves before the end is a broken connection in Tomcat's own log.
                description.readAllBytes();
            }
        }
        connection.disconnect();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException("the server answered " + status + " to GET " + contract);
        }
    }

    /** Where the operations are called. */
    public String address() {
        int port = ((FreePortProtocol) connector.getProtocolHandler()).localPort();
        return "http://" + LOOPBACK + ":" + port + CONTEXT_PATH + ENDPOINT_PATH;
    }

    @Override
    public void close() throws LifecycleException, IOException {
        if (stopped) {
            return;
        }
        stopped = true;
        tomcat.stop();
        ServerFactory.getServer().removeService(tomcat);
        try (Stream<Path> files = Files.walk(workFolder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** What takes requests to the web application, which is all that it has. */
    private Engine engine(String name, StandardContext context) {
        Host host = new StandardHost();
        host.setName(LOOPBACK);
        host.setAppBase(workFolder.toString());
        host.addChild(context);
        Engine engine = new StandardEngine();
        engine.setName(name);
        engine.setDefaultHost(LOOPBACK);
        engine.addChild(host);
        return engine;
    }

    @SuppressWarnings("rawtypes")
    private StandardContext context(FlightEndpoint endpoint, List<Handler> handlers, List<Filter> filters) {
        StandardContext context = new StandardContext();
        context.setPath(CONTEXT_PATH);
        context.setDocBase(workFolder.toString());
        context.setWorkDir(workFolder.resolve("work").toString());
        context.setProcessTlds(false);
        context.setParentClassLoader(FlightServer.class.getClassLoader());
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.START_EVENT)) {
                EndpointFactory.publish(endpoint, handlers, ENDPOINT_PATH, context.getServletContext());
                // There is no descriptor to wait for.
                context.setConfigured(true);
            }
        });
        Wrapper servlet = context.createWrapper();
        servlet.setName("jax-ws");
        servlet.setServletClass(WSServlet.class.getName());
        servlet.setLoadOnStartup(1);
        context.addChild(servlet);
        context.addServletMapping(ENDPOINT_PATH, "jax-ws");
        for (Filter filter : filters) {
            addFilter(context, filter);
        }
        return context;
    }

    private static void addFilter(StandardContext context, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(filter.getClass().getSimpleName());
        definition.setFilterClass(GivenFilter.class.getName());
        context.addFilterDef(definition);
        FilterMap mapping = new FilterMap();
        mapping.setFilterName(definition.getFilterName());
        mapping.addURLPattern(ENDPOINT_PATH);
        context.addFilterMap(mapping);
        context.getServletContext().setAttribute(GivenFilter.attribute(definition.getFilterName()), filter);
    }

    private static Connector connector(int port) throws IOException {
        try {
            Connector connector = new Connector(FreePortProtocol.class.getName());
            connector.setProperty("address", LOOPBACK);
            connector.setPort(port);
            return connector;
        } catch (Exception e) {
            throw new IOException("the server's connector cannot be made", e);
        }
    }
}
