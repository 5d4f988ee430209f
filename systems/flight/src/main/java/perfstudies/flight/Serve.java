package perfstudies.flight;

import jakarta.servlet.Filter;
import jakarta.xml.ws.handler.Handler;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.LifecycleException;
import org.apache.log4j.Logger;
import perfstudies.flight.extension.ExtensionException;
import perfstudies.flight.extension.Extensions;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.service.ServiceExecutor;
import perfstudies.flight.web.FlightServer;
import perfstudies.flight.web.MonitorFilter;
import perfstudies.flight.web.UserFilter;
import perfstudies.flight.ws.FlightEndpoint;
import perfstudies.flight.ws.MonitorHandler;
import perfstudies.monitor.EventMonitor;
import perfstudies.monitor.LayerMonitor;
import perfstudies.monitor.Monitor;
import perfstudies.monitor.Perf4JMonitor;

/** A running service: puts the layers together as the settings say, and takes them down in reverse. */
final class Serve implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Serve.class);

    private final Monitor monitor;
    private final Persistence persistence;
    private final FlightServer server;

    Serve(Settings settings) throws IOException, UsageException, LifecycleException {
        FunctionalLog.open(settings.log());
        monitor = monitor(settings);
        Extensions extensions = extensions(settings, monitor);
        boolean on = settings.monitorOn();
        Database database = new Database(H2.closedByProgram(settings.databaseUrl()), settings.databaseUser(),
                settings.databasePassword(), settings.poolSize());
        persistence = new Persistence(database, Database.Schema.EXISTS, monitor, new Persistence.Monitoring(
                on, on && settings.monitorWrap(), on && settings.monitorCollections()));
        FlightEndpoint endpoint = new FlightEndpoint(
                new ServiceExecutor(persistence, extensions.service()), extensions.webService());
        List<Handler> handlers = on ? List.of(new MonitorHandler(monitor)) : List.of();
        server = new FlightServer(settings.port(), endpoint, handlers, filters(settings, monitor));
        server.start();
        LOG.info("Flight Web Service at " + server.address());
    }

    String address() {
        return server.address();
    }

    @Override
    public void close() throws LifecycleException, IOException {
        LOG.info("Flight Web Service ends");
        server.close();
        persistence.close();
        monitor.close();
        FunctionalLog.close();
    }

    private static Monitor monitor(Settings settings) throws IOException, UsageException {
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
    private static List<Filter> filters(Settings settings, Monitor monitor) {
        List<Filter> filters = new ArrayList<>();
        if (settings.monitorOn()) {
            filters.add(new MonitorFilter(monitor));
        }
        if (!settings.log().user().isEmpty()) {
            filters.add(new UserFilter());
        }
        return filters;
    }

    private static Extensions extensions(Settings settings, Monitor monitor) throws IOException, UsageException {
        try {
            if (settings.extensionsFile() != null) {
                return Extensions.read(settings.extensionsFile(), monitor);
            }
            return Extensions.readBuiltIn(
                    settings.monitorOn() ? "extensions-monitor.properties" : "extensions.properties", monitor);
        } catch (ExtensionException e) {
            throw new UsageException("extensions: " + e.getMessage());
        }
    }
}
