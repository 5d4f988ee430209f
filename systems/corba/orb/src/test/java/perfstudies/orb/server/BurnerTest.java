package perfstudies.orb.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BurnerTest {

    @ParameterizedTest
    @EnumSource
    void usesTheCpuAsLongAsIsDemanded(Burner burner) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long demandNs = TimeUnit.MILLISECONDS.toNanos(5);
        long beforeNs = threads.getCurrentThreadCpuTime();
        long usedNs = burner.burn(demandNs);
        long reallyNs = threads.getCurrentThreadCpuTime() - beforeNs;
        assertTrue(usedNs >= demandNs, usedNs + " ns");
        assertTrue(reallyNs >= usedNs, reallyNs + " ns");
    }

    @ParameterizedTest
    @EnumSource
    void usesNoneIfNoneIsDemanded(Burner burner) {
        assertEquals(0, burner.burn(0));
    }
}
