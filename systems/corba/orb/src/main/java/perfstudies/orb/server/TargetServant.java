package perfstudies.orb.server;

import java.util.concurrent.TimeUnit;
import org.omg.CORBA.BAD_PARAM;
import perfstudies.orb.contract.TargetPOA;
import perfstudies.orb.server.ServerRecord.Event;

/** The target object's implementation. */
final class TargetServant extends TargetPOA {

    private static final int MOST_US = 1_000_000;

    private final Burner burner;

    TargetServant(Burner burner) {
        this.burner = burner;
    }

    @Override
    public long serve(int demandUs) {
        if (demandUs < 0 || demandUs > MOST_US) {
            throw new BAD_PARAM("demand_us is " + demandUs + ", allowed: 0 to " + MOST_US);
        }
        ServerRecord record = ServerRecord.current();
        int number = Dispatcher.request();
        record.note(Event.SERVANT_START, number, System.nanoTime());
        long usedNs = burner.burn(TimeUnit.MICROSECONDS.toNanos(demandUs));
        record.noteCpu(number, usedNs);
        record.note(Event.SERVANT_END, number, System.nanoTime());
        return usedNs;
    }
}
