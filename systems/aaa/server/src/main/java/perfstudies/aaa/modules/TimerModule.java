package perfstudies.aaa.modules;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.log.Counters;
import perfstudies.aaa.log.RequestRecord;

/**
 * The study's module, which simulates an application: waits {@code units} time units.
 *
 * <p>An instance knows its number, and whether it was made for the request that it serves first: then its construction
 * was the last thing that the request's thread did before.
 */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class TimerModule implements ApplicationModule {

    private Counters counters;
    private long number;
    private Thread maker;

    /** Is busy as long as the setting ejb.create_ms says, like an application that has much to prepare. */
    @PostConstruct
    public void made() {
        Deployment deployment = Deployment.current();
        long endNs = System.nanoTime() + nanoseconds(deployment.settings().number("ejb.create_ms"));
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
        counters = deployment.counters();
        number = counters.nextBean();
        counters.beansCreated.increment();
        counters.beansAlive.enter();
        maker = Thread.currentThread();
    }

    @PreDestroy
    public void destroyed() {
        counters.beansDestroyed.increment();
        counters.beansAlive.leave();
    }

    @Override
    public Outcome perform(Map<String, String> parameters, Call call) throws Refusal {
        RequestRecord record = call.record();
        boolean created = maker == Thread.currentThread();
        maker = null;
        record.moduleStarts(number, created, counters.beansBusy.enter());
        try {
            double unitMs = call.deployment().timerUnitMs();
            sleep(nanoseconds(Double.parseDouble(parameters.get("units")) * unitMs));
            return Outcome.yes(null);
        } finally {
            counters.beansBusy.leave();
            record.moduleEnds();
        }
    }

    /** Waits at least this long; a park may end early. */
    private static void sleep(long durationNs) throws Refusal {
        long endNs = System.nanoTime() + durationNs;
        for (long leftNs = durationNs; leftNs > 0; leftNs = endNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            if (Thread.currentThread().isInterrupted()) {
                throw new Refusal(FaultName.ServerFailed, "the timer was interrupted");
            }
        }
    }

    private static long nanoseconds(double milliseconds) {
        return Math.round(milliseconds * 1e6);
    }
}
