package perfstudies.esb.axis2client;

import org.apache.commons.httpclient.ConnectionPoolTimeoutException;
import org.apache.commons.httpclient.HostConfiguration;
import org.apache.commons.httpclient.HttpConnection;
import org.apache.commons.httpclient.MultiThreadedHttpConnectionManager;

/** The pool as it is, except that each thread can tell when it was given its last connection. */
final class ObservedPool extends MultiThreadedHttpConnectionManager {

    private final ThreadLocal<Long> given = new ThreadLocal<>();

    @Override
    public HttpConnection getConnectionWithTimeout(HostConfiguration host, long timeoutMs)
            throws ConnectionPoolTimeoutException {
        HttpConnection connection = super.getConnectionWithTimeout(host, timeoutMs);
        given.set(System.nanoTime());
        return connection;
    }

    /** Forgets what this thread was given. */
    void forget() {
        given.remove();
    }

    /** Returns when this thread was given a connection, or a default if it was not. */
    long givenAt(long otherwise) {
        Long at = given.get();
        return at == null ? otherwise : at;
    }
}
