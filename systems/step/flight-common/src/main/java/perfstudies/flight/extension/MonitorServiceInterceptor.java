package perfstudies.flight.extension;

import perfstudies.monitor.Monitor;

/** The monitor's interception point in the Service layer, outside the transaction so that the commit is inside. */
public final class MonitorServiceInterceptor implements Interceptor {

    private static final String TAG = "si";

    private final Monitor monitor;

    public MonitorServiceInterceptor(Monitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public void before(String name) {
        monitor.enter(TAG);
        monitor.context(TAG, "name", name);
    }

    @Override
    public void finallyAfter(String name) {
        monitor.exit(TAG);
    }
}
