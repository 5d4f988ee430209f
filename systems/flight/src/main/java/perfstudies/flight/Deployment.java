package perfstudies.flight;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.catalina.LifecycleException;

/** The one service that the process runs at a time, or none. A service leaves nothing behind for the next one. */
final class Deployment {

    private Serve service;

    /**
     * Closes the running service, if there is one, and starts another.
     *
     * @return the new service's address
     */
    synchronized String replace(Path configuration) throws IOException, UsageException, LifecycleException {
        close();
        service = new Serve(Settings.read(configuration));
        return service.address();
    }

    /** Closes the running service, if there is one. One that cannot be closed well is not tried again. */
    synchronized void close() throws IOException {
        Serve old = service;
        service = null;
        if (old != null) {
            old.close();
        }
    }

    /** What the running service counted since it started or was last asked. */
    synchronized Map<String, Long> statistics() throws UsageException {
        if (service == null) {
            throw new UsageException("no service is deployed");
        }
        return service.statistics();
    }
}
