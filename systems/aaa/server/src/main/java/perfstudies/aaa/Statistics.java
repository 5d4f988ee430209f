package perfstudies.aaa;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import perfstudies.aaa.log.Counters;
import perfstudies.aaa.log.MessageLog;

/**
 * What a deployment counted, for the launcher that deployed it. The two have class loaders of their own, so they meet
 * at the process's management server.
 */
public final class Statistics implements StatisticsMBean {

    private static final String NAME = "perfstudies.aaa:type=Statistics";

    private final Counters counters;
    private final MessageLog messages;
    private long collections = collections();
    private long collectionMs = collectionMs();

    Statistics(Counters counters, MessageLog messages) {
        this.counters = counters;
        this.messages = messages;
    }

    /**
     * What the running deployment counted since it started or was last asked, as a JSON object of whole numbers.
     *
     * @throws UsageException if there is no deployment
     */
    public static String ask() throws UsageException {
        try {
            return (String) server().invoke(new ObjectName(NAME), "take", new Object[0], new String[0]);
        } catch (InstanceNotFoundException e) {
            throw new UsageException("nothing is deployed");
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    void register() {
        try {
            unregister();
            server().registerMBean(this, new ObjectName(NAME));
        } catch (InstanceAlreadyExistsException e) {
            throw new IllegalStateException("two AAA servers start in one process", e);
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    void unregister() {
        try {
            server().unregisterMBean(new ObjectName(NAME));
        } catch (InstanceNotFoundException e) {
            // there was none
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized String take() {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("requests", counters.requests.sumThenReset());
        counts.put("faults", counters.faults.sumThenReset());
        counts.put("beans_created", counters.beansCreated.sumThenReset());
        counts.put("beans_destroyed", counters.beansDestroyed.sumThenReset());
        counts.put("beans_alive", (long) counters.beansAlive.now());
        counts.put("beans_busy_max", (long) counters.beansBusy.takeMost());
        counts.put("threads_busy_max", (long) counters.threadsBusy.takeMost());
        counts.put("database_connections_max", (long) counters.connections.takeMost());
        counts.put("sessions", counters.sessions.sumThenReset());
        counts.put("messages_sent", messages.takeSent());
        counts.put("messages_received", messages.takeReceived());
        long collectionsNow = collections();
        long collectionMsNow = collectionMs();
        counts.put("gc_count", collectionsNow - collections);
        counts.put("gc_ms", collectionMsNow - collectionMs);
        collections = collectionsNow;
        collectionMs = collectionMsNow;
        counts.put("heap_used_bytes", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        return counts.entrySet().stream().map(count -> "\"" + count.getKey() + "\": " + count.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static MBeanServer server() {
        return ManagementFactory.getPlatformMBeanServer();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    private static long collectionMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }
}
