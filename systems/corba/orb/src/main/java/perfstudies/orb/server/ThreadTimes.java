package perfstudies.orb.server;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How long each kind of the broker's threads has used the CPU since it was started; told apart by JacORB's names. */
final class ThreadTimes {

    private static final Map<String, String> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("receiver_cpu_us", "ServerMessageReceptor");
        KINDS.put("controller_cpu_us", "RequestController");
        KINDS.put("dispatcher_cpu_us", "RequestProcessor");
    }

    private ThreadTimes() {
    }

    static Map<String, Long> byKind() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> total = new LinkedHashMap<>();
        KINDS.keySet().forEach(kind -> total.put(kind, 0L));
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread == null) {
                continue;  // it has ended meanwhile
            }
            long usedNs = Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            KINDS.forEach((kind, prefix) -> {
                if (thread.getThreadName().startsWith(prefix)) {
                    total.merge(kind, TimeUnit.NANOSECONDS.toMicros(usedNs), Long::sum);
                }
            });
        }
        return total;
    }
}
