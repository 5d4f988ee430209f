package perfstudies.flight.extension;

import perfstudies.monitor.Monitor;

/** The monitor's interception point between the generated Web Service code and the operation. */
public final class MonitorWebServiceInterceptor implements Interceptor {

    private static final String TAG = "wsi";

    private final Monitor monitor;

    public MonitorWebServiceInterceptor(Monitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public void before(String name) {
        monitor.enter(TAG);
    }

    @Override
    public void finallyAfter(String name) {
        monitor.exit(TAG);
    }
}
