package perfstudies.flight;

import jakarta.servlet.Filter;
import jakarta.xml.ws.handler.Handler;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.catalina.LifecycleException;
import org.apache.log4j.Logger;
import perfstudies.flight.extension.ExtensionException;
import perfstudies.flight.extension.Extensions;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.persistence.Tracing;
import perfstudies.flight.service.ServiceExecutor;
import perfstudies.flight.web.FlightServer;
import perfstudies.flight.web.MonitorFilter;
import perfstudies.flight.web.UserFilter;
import perfstudies.flight.ws.FlightEndpoint;
import perfstudies.flight.ws.MonitorHandler;
import perfstudies.launch.UsageException;
import perfstudies.monitor.EventMonitor;
import perfstudies.monitor.LayerMonitor;
import perfstudies.monitor.Monitor;
import perfstudies.monitor.Perf4JMonitor;

/** A running service: puts the layers together as the settings say, and takes them down in reverse. */
final class Serve implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Serve.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Persistence persistence;
    private final FlightServer server;

    /** Starts the service, or leaves nothing of it if it cannot. */
    Serve(FlightSettings settings) throws IOException, LifecycleException {
        try {
            opened.push(FunctionalLog::close);
            FunctionalLog.open(settings.log());
            Tracing.check();
            Monitor monitor = monitor(settings);
            opened.push(monitor);
            Extensions extensions = extensions(settings, monitor);
            persistence = persistence(settings, monitor);
            FlightEndpoint endpoint = new FlightEndpoint(
                    new ServiceExecutor(persistence, extensions.service(), settings.domain(),
                            settings.readsWithoutFlush()), extensions.webService());
            List<Handler> handlers = settings.monitorOn() ? List.of(new MonitorHandler(monitor)) : List.of();
            server = new FlightServer(settings.port(), endpoint, handlers, filters(settings, monitor));
            opened.push(server);
            server.start();
            LOG.info("Flight Web Service at " + server.address());
        } catch (Throwable e) {
            closeAfter(e);
            throw e;
        }
    }

    String address() {
        return server.address();
    }

    Map<String, Long> statistics() {
        if (!persistence.countsAreOn()) {
            throw new UsageException("property statistics is false");
        }
        return persistence.takeCounts();
    }

    /** Closes everything, even if a part of it fails. */
    @Override
    public void close() throws IOException {
        LOG.info("Flight Web Service ends");
        IOException failure = new IOException("the service was not closed well");
        closeAfter(failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private void closeAfter(Throwable reason) {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                reason.addSuppressed(e);
            }
        }
    }

    private Persistence persistence(FlightSettings settings, Monitor monitor) {
        boolean on = settings.monitorOn();
        String url = H2.closedByProgram(settings.databaseUrl());
        opened.push(() -> H2.shutDown(url, settings.databaseUser(), settings.databasePassword()));
        Database database = new Database(url, settings.databaseUser(), settings.databasePassword(),
                settings.poolSize(), settings.cache(), settings.statistics());
        Persistence made = new Persistence(database, Database.Schema.EXISTS, monitor, new Persistence.Monitoring(
                on, on && settings.monitorWrap(), on && settings.monitorCollections()), settings.retries());
        opened.push(made);
        return made;
    }

    private static Monitor monitor(FlightSettings settings) throws IOException {
        try {
            return switch (settings.monitor()) {
                case "layer" -> new LayerMonitor(settings.monitorFolder());
                case "event" -> new EventMonitor(settings.monitorFolder());
                case "perf4j" -> new Perf4JMonitor(settings.monitorFolder());
                default -> Monitor.OFF;
            };
        } catch (FileAlreadyExistsException e) {
            throw new UsageException("property monitor.dir: " + e.getMessage());
        }
    }

    /** The monitor's is the outermost, so that what the others cost is part of a request's time. */
    private static List<Filter> filters(FlightSettings settings, Monitor monitor) {
        List<Filter> filters = new ArrayList<>();
        if (settings.monitorOn()) {
            filters.add(new MonitorFilter(monitor));
        }
        if (!settings.log().user().isEmpty()) {
            filters.add(new UserFilter());
        }
        return filters;
    }

    private static Extensions extensions(FlightSettings settings, Monitor monitor) throws IOException {
        try {
            return Extensions.readBuiltIn(
                    settings.monitorOn() ? "extensions-monitor.properties" : "extensions.properties", monitor);
        } catch (ExtensionException e) {
            throw new IllegalStateException(e);
        }
    }
}
