package perfstudies.aaa.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.log.RequestRecord;

class TimerModuleTest {

    private static final int BEAN = 9;
    private static final int CREATED = 10;
    private static final int BUSY = 11;

    @TempDir
    private Path folder;
    private Deployment deployment;

    @AfterEach
    void close() throws IOException {
        deployment.close();
    }

    @Test
    void waitsSoManyTimeUnits() throws Exception {
        deploy("timer.unit_ms=7.5");
        TimerModule bean = bean();
        double quickestMs = quickestMs(() -> perform(bean, "4"));
        assertTrue(quickestMs >= 30 && quickestMs < 300, quickestMs + " ms");
    }

    @Test
    void beingMadeTakesAsLongAsItIsSet() throws Exception {
        deploy("ejb.create_ms=20");
        double quickestMs = quickestMs(TimerModuleTest::bean);
        assertTrue(quickestMs >= 20 && quickestMs < 300, quickestMs + " ms");
    }

    /** How long the quickest of ten tries took: a busy machine may hold up any one. */
    private static double quickestMs(Callable<?> tried) throws Exception {
        long quickestNs = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long startNs = System.nanoTime();
            tried.call();
            quickestNs = Math.min(quickestNs, System.nanoTime() - startNs);
        }
        return quickestNs / 1e6;
    }

    @Test
    void anInstanceIsNewOnlyForTheRequestThatItWasMadeFor() throws Exception {
        deploy("timer.unit_ms=0");
        TimerModule first = bean();
        assertEquals("0 1 1", served(perform(first, "1")));
        assertEquals("0 0 1", served(perform(first, "1")));
        ExecutorService container = Executors.newSingleThreadExecutor();
        try {
            TimerModule steady = container.submit(TimerModuleTest::bean).get();
            assertEquals("1 0 1", served(perform(steady, "1")));
        } finally {
            container.shutdownNow();
        }
    }

    @Test
    void instancesAreCounted() throws Exception {
        deploy("timer.unit_ms=0");
        TimerModule first = bean();
        bean();
        first.destroyed();
        assertEquals(2, deployment.counters().beansCreated.sum());
        assertEquals(1, deployment.counters().beansDestroyed.sum());
        assertEquals(1, deployment.counters().beansAlive.now());
    }

    @Test
    void beansInUseAreCountedWhileTheyAre() throws Exception {
        deploy("timer.unit_ms=100");
        TimerModule slow = bean();
        TimerModule fast = bean();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            thread.submit(() -> perform(slow, "600"));
            while (deployment.counters().beansBusy.now() == 0) {
                Thread.onSpinWait();
            }
            assertEquals("1 1 2", served(perform(fast, "0")));
        } finally {
            thread.shutdownNow();
        }
        assertTrue(thread.awaitTermination(60, TimeUnit.SECONDS), "interrupted");
        assertEquals(0, deployment.counters().beansBusy.now());
        assertEquals(2, deployment.counters().beansBusy.takeMost());
    }

    @Test
    void anInterruptedTimerSaysSo() throws Exception {
        deploy("timer.unit_ms=10000");
        TimerModule bean = bean();
        Thread.currentThread().interrupt();
        Refusal e = assertThrows(Refusal.class, () -> perform(bean, "1"));
        assertTrue(Thread.interrupted());
        assertEquals(FaultName.ServerFailed, e.fault());
        assertEquals(0, deployment.counters().beansBusy.now());
    }

    @Test
    void aRandomUnitHasTheSameMeanAndTheSameSeedGivesTheSame() throws Exception {
        deploy("timer.unit_ms=400\ntimer.random=true\ntimer.seed=5");
        double first = deployment.timerUnitMs();
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            sum += deployment.timerUnitMs();
        }
        // The mean's standard deviation is 400 / sqrt(20000) = 2.8 ms.
        assertEquals(400, sum / 20_000, 12);
        deployment.close();
        deploy("timer.unit_ms=400\ntimer.random=true\ntimer.seed=5");
        assertEquals(first, deployment.timerUnitMs());
    }

    private void deploy(String settings) throws IOException {
        deployment = Deployment.open(Files.writeString(folder.resolve("aaa.properties"), settings).toString());
    }

    private static TimerModule bean() {
        TimerModule bean = new TimerModule();
        bean.made();
        return bean;
    }

    private RequestRecord perform(TimerModule bean, String units) throws Refusal {
        RequestRecord record = new RequestRecord(0, null, 1);
        bean.perform(Map.of("units", units), new Call(deployment, record));
        return record;
    }

    private static String served(RequestRecord record) {
        Object[] values = record.values("ok");
        return values[BEAN] + " " + values[CREATED] + " " + values[BUSY];
    }
}
