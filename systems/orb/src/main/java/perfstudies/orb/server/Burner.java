package perfstudies.orb.server;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Uses the CPU for a time by the thread's own clock. By the clock on the wall, the demands of threads that share a CPU
 * would pass at the same time.
 */
final class Burner {

    /** Of work between two looks at the clock, which is a call into the kernel: well below a microsecond. */
    private static final int STEPS = 256;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** What the work comes to; kept so that it is work. */
    private static long result;

    private Burner() {
    }

    /** Returns how long it was, which is hardly more than the demand. */
    static long burn(long demandNs) {
        long startNs = THREADS.getCurrentThreadCpuTime();
        long usedNs = 0;
        while (usedNs < demandNs) {
            long state = result;
            for (int step = 0; step < STEPS; step++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
            }
            result = state;
            usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
        }
        return usedNs;
    }
}
