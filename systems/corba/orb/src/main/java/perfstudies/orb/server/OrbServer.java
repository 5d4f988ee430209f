package perfstudies.orb.server;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.ThreadPolicyValue;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;
import perfstudies.orb.Orbs;

/**
 * A running server: its broker, its pool, its objects in their adapters, of which one may be the Root-POA. Adapters share
 * the pool, but for those that take one request at a time: JacORB gives each of these a thread of its own.
 */
final class OrbServer {

    /** Threads of closed connections are kept, so that what they used is not lost. */
    private static final int RECEIVERS_KEPT = 1000;
    private static final String ROOT = "root";
    private static final long PATIENCE_MS = 10_000;

    private final ServerRecord record;
    private final Path recordFile;
    private final ORB orb;
    private final List<String> references = new ArrayList<>();
    private boolean closed;

    OrbServer(Settings settings) throws Exception {
        String dispatchers = Integer.toString(settings.number("dispatchers", 1));
        String queueMax = Integer.toString(settings.number("queue.max", 1));
        record = new ServerRecord(settings.number("requests", 1));
        if (settings.text("record").isEmpty()) {
            throw new UsageException("record: must be a file");
        }
        recordFile = Path.of(settings.text("record"));
        Burner burner = settings.choice("looks", Burner.values());
        Receiver.use(burner, TimeUnit.MICROSECONDS.toNanos(settings.number("receiver.demand_us", 0)));
        Wakes wakes = settings.choice("wakes", Wakes.values());
        ServerRecord.use(record);
        List<String> objects = List.of(settings.text("objects").split(","));
        Set<String> single = Set.of(settings.text("single").split(","));
        orb = Orbs.init(Initializer.class, Map.of(
                "jacorb.poa.thread_pool_shared", Set.copyOf(objects).size() > 1 ? "on" : "off",
                "OAIAddr", "127.0.0.1",
                "jacorb.poa.thread_pool_min", dispatchers,
                "jacorb.poa.thread_pool_max", dispatchers,
                "jacorb.poa.queue_max", queueMax,
                "jacorb.poa.queue_listeners", QueueTimes.class.getName(),
                "jacorb.net.server_socket_factory", TimedSockets.class.getName(),
                "jacorb.connection.server.max_idle_receptor_threads", Integer.toString(RECEIVERS_KEPT)));
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        wakes.set(root);
        Map<String, POA> adapters = new HashMap<>(Map.of(ROOT, root));
        for (String name : objects) {
            if (!adapters.containsKey(name)) {
                adapters.put(name, adapter(root, name, single.contains(name)));
                wakes.set(adapters.get(name));
            }
            references.add(orb.object_to_string(adapters.get(name).servant_to_reference(new TargetServant(burner))));
        }
        root.the_POAManager().activate();
    }

    /** An adapter beside the Root-POA, with its manager. */
    private static POA adapter(POA root, String name, boolean single) throws UserException {
        return root.create_POA(name, root.the_POAManager(), new Policy[] {
            root.create_implicit_activation_policy(ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION),
            root.create_thread_policy(single ? ThreadPolicyValue.SINGLE_THREAD_MODEL : ThreadPolicyValue.ORB_CTRL_MODEL)});
    }

    /** The objects', for {@link ORB#string_to_object}. */
    List<String> references() {
        return references;
    }

    /** What it has counted since it was started. */
    Map<String, Long> statistics() {
        Map<String, Long> counted = new LinkedHashMap<>(ThreadTimes.byKind());
        long collections = 0;
        long pausesMs = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionCount();
            pausesMs += collector.getCollectionTime();
        }
        counted.put("gc_count", collections);
        counted.put("gc_ms", pausesMs);
        counted.put("dispatchers_seen", (long) record.dispatchersSeen());
        return counted;
    }

    /** Ends the broker when it has answered what it has received, and writes the record; once. */
    synchronized void close() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        closed = true;
        Thread shutdown = new Thread(() -> orb.shutdown(true), "shutdown");
        shutdown.setDaemon(true);
        shutdown.start();
        shutdown.join(PATIENCE_MS);
        record.write(recordFile);
        if (shutdown.isAlive()) {
            throw new IOException("the broker did not end within " + PATIENCE_MS + " ms");
        }
    }
}
