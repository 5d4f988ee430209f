package perfstudies.orb.server;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Uses the CPU for a time by the thread's own clock. By the clock on the wall, the demands of threads that share a CPU
 * would pass at the same time.
 */
enum Burner {

    /** Looks at the clock all the time: exact, but each look is a call into the kernel, which may then switch threads. */
    CONSTANT {
        @Override
        long burn(long demandNs) {
            long startNs = THREADS.getCurrentThreadCpuTime();
            long usedNs = 0;
            while (usedNs < demandNs) {
                work(STEPS);
                usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
            }
            return usedNs;
        }
    },

    /** Works for most of what is left before the next look, by the speed so far. */
    FEW {
        @Override
        long burn(long demandNs) {
            if (demandNs == 0) {
                return 0;
            }
            long startNs = THREADS.getCurrentThreadCpuTime();
            long steps = FIRST_STEPS;
            work(steps);
            long usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
            while (usedNs < demandNs) {
                long more = Math.max(STEPS, (long) (MOST * steps * (demandNs - usedNs) / Math.max(usedNs, 1)));
                work(more);
                steps += more;
                usedNs = THREADS.getCurrentThreadCpuTime() - startNs;
            }
            return usedNs;
        }
    };

    /** Of work between two looks at the clock at least: well below a microsecond. */
    private static final int STEPS = 256;
    private static final int FIRST_STEPS = 20_000;
    private static final double MOST = 0.9;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** What the work comes to; kept so that it is work. */
    private static long result;

    /** Returns how long it was, which is hardly more than the demand. */
    abstract long burn(long demandNs);

    private static void work(long steps) {
        long state = result;
        for (long step = 0; step < steps; step++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
        }
        result = state;
    }
}
