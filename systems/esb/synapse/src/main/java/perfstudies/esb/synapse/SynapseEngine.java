package perfstudies.esb.synapse;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.transport.TransportListener;
import org.apache.axis2.transport.base.threads.WorkerPool;
import org.apache.http.nio.reactor.ListenerEndpoint;
import org.apache.http.nio.reactor.ListeningIOReactor;
import org.apache.synapse.ServerConfigurationInformation;
import org.apache.synapse.ServerContextInformation;
import org.apache.synapse.ServerManager;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;
import perfstudies.esb.security.Keyring;

/**
 * Synapse with its six proxies, at {@code /services/<name>}.
 *
 * <p>Synapse keeps what it read of a transport's properties as long as the process lives. So a process has one engine
 * with one setting.
 */
final class SynapseEngine implements Party {

    private static final String PROPERTIES_FOLDER = "conf.location";
    /** Where the pass-through transport puts its threads, by a name that it keeps to itself. */
    private static final String WORKER_POOL = "PASS_THROUGH_TRANSPORT_WORKER_POOL";
    private static final long PATIENCE_MS = 1_000;

    private ServerManager manager;
    private ServerContextInformation context;
    private Keyring keyring;

    @Override
    public synchronized String start(Settings settings) throws Exception {
        Configuration configuration = Configuration.write(settings);
        keyring = new Keyring(configuration.folder());
        System.setProperty(PROPERTIES_FOLDER, configuration.folder().toString());

        ServerConfigurationInformation information = new ServerConfigurationInformation();
        information.setSynapseHome(configuration.folder().toString());
        information.setResolveRoot(configuration.folder().toString());
        information.setAxis2RepoLocation(configuration.repository().toString());
        information.setAxis2Xml(configuration.axis2().toString());
        information.setSynapseXMLLocation(configuration.synapse().toString());
        information.setCreateNewInstance(true);
        context = new ServerContextInformation(information);
        context.addProperty(OpenMediator.KEYRING, keyring);
        manager = new ServerManager();
        manager.init(information, context);
        manager.start();
        return "http://127.0.0.1:" + port();
    }

    @Override
    public String answer(String line) throws Exception {
        String[] words = line.split(" ");
        if (!words[0].equals("secure")) {
            return Party.super.answer(line);
        }
        if (words.length != 3) {
            throw new UsageException("usage: secure FILE_IN FILE_OUT");
        }
        Files.write(Path.of(words[2]), keyring.security().secure(Files.readAllBytes(Path.of(words[1]))));
        return "SECURED " + words[2];
    }

    @Override
    public synchronized void stop() throws Exception {
        if (manager == null) {
            return;
        }
        ConfigurationContext axis2 = axis2();
        manager.shutdown();
        manager = null;
        // The pass-through transport leaves its threads behind.
        if (axis2 != null && axis2.getProperty(WORKER_POOL) instanceof WorkerPool pool) {
            pool.shutdown((int) PATIENCE_MS);
        }
    }

    private ConfigurationContext axis2() {
        return (ConfigurationContext) context.getServerContext();
    }

    /** The port that the transport listens at. It tells nobody: a busy port is a line in the log, a free one is not. */
    private int port() throws Exception {
        TransportListener listener = axis2().getAxisConfiguration().getTransportIn("http").getReceiver();
        Field field = listener.getClass().getDeclaredField("ioReactor");
        field.setAccessible(true);
        for (ListenerEndpoint endpoint : ((ListeningIOReactor) field.get(listener)).getEndpoints()) {
            return ((InetSocketAddress) endpoint.getAddress()).getPort();
        }
        throw new IOException("Synapse could not listen at its port");
    }
}
