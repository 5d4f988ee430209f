package perfstudies.orb.server;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;
import perfstudies.orb.Orbs;

/** A running server: its broker, its pool, its one object. */
final class OrbServer {

    /** Threads of closed connections are kept, so that what they used is not lost. */
    private static final int RECEIVERS_KEPT = 1000;
    private static final long PATIENCE_MS = 10_000;

    private final ServerRecord record;
    private final Path recordFile;
    private final ORB orb;
    private final String reference;
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
        orb = Orbs.init(Initializer.class, Map.of(
                "OAIAddr", "127.0.0.1",
                "jacorb.poa.thread_pool_min", dispatchers,
                "jacorb.poa.thread_pool_max", dispatchers,
                "jacorb.poa.queue_max", queueMax,
                "jacorb.poa.queue_listeners", QueueTimes.class.getName(),
                "jacorb.net.server_socket_factory", TimedSockets.class.getName(),
                "jacorb.connection.server.max_idle_receptor_threads", Integer.toString(RECEIVERS_KEPT)));
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        wakes.set(root);
        root.the_POAManager().activate();
        reference = orb.object_to_string(root.servant_to_reference(new TargetServant(burner)));
    }

    /** The target object's, for {@link ORB#string_to_object}. */
    String reference() {
        return reference;
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
