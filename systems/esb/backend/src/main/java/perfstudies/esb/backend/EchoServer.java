package perfstudies.esb.backend;

import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.ConfigurationContextFactory;
import org.apache.axis2.transport.http.SimpleHTTPServer;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/** Axis2 with its own HTTP server, configuration and one service; it needs no repository and writes no file. */
public final class EchoServer implements Party {

    /** The logger above all others. */
    private static final Logger LOG = Logger.getLogger("");
    private static final String CONFIGURATION = "axis2.xml";

    private SimpleHTTPServer server;
    private ConfigurationContext context;
    private CallLog calls;
    private EchoService service;

    @Override
    public synchronized String start(Settings settings) throws Exception {
        LOG.setLevel(Level.WARNING);
        // Connections that are open and idle would hold up the end for 3 s.
        System.setProperty("org.apache.axis2.transport.http.server.fastShutdown", "true");
        int core = settings.number("threads.core", 1);
        int max = settings.number("threads.max", 1);
        if (max < core) {
            throw new UsageException("threads.max = " + max + " is less than threads.core = " + core);
        }
        context = ConfigurationContextFactory.createConfigurationContextFromURIs(
                EchoServer.class.getResource(CONFIGURATION), null);
        LoopbackFactory factory = new LoopbackFactory(context, settings.number("port", 0), core, max);
        String log = settings.text("call.log");
        calls = log.isEmpty() ? null : new CallLog(Path.of(log));
        service = new EchoService(settings.number("delay_ms", 0), calls);
        server = new SimpleHTTPServer(factory);
        server.start();
        String address = "http://127.0.0.1:" + factory.listener().getPort() + "/services/EchoService";
        service.deploy(context, address);
        return address;
    }

    /** The one command is {@code served}, answered with the number of calls served since it was last asked. */
    @Override
    public String answer(String line) throws Exception {
        return line.equals("served") ? "SERVED " + service.served() : Party.super.answer(line);
    }

    @Override
    public synchronized void stop() throws Exception {
        if (server != null) {
            server.stop();
        }
        if (context != null) {
            context.terminate();
        }
        if (calls != null) {
            calls.close();
        }
    }
}
