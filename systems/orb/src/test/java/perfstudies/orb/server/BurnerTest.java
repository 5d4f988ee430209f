package perfstudies.orb.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BurnerTest {

    @Test
    void usesTheCpuAsLongAsIsDemanded() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long demandNs = TimeUnit.MILLISECONDS.toNanos(5);
        long beforeNs = threads.getCurrentThreadCpuTime();
        long usedNs = Burner.burn(demandNs);
        long reallyNs = threads.getCurrentThreadCpuTime() - beforeNs;
        assertTrue(usedNs >= demandNs, usedNs + " ns");
        assertTrue(reallyNs >= usedNs, reallyNs + " ns");
    }

    @Test
    void usesNoneIfNoneIsDemanded() {
        assertEquals(0, Burner.burn(0));
    }
}
