package perfstudies.esb.axis2client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.axiom.om.OMElement;
import org.apache.axis2.AxisFault;
import org.apache.axis2.Constants;
import org.apache.axis2.addressing.EndpointReference;
import org.apache.axis2.client.Options;
import org.apache.axis2.client.ServiceClient;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.ConfigurationContextFactory;
import org.apache.axis2.transport.http.HTTPConstants;
import org.apache.commons.httpclient.ConnectionPoolTimeoutException;
import org.apache.commons.httpclient.HttpClient;
import org.apache.commons.httpclient.params.HttpConnectionManagerParams;

/**
 * The calls of a plan, through one configuration context: with one HTTP client and its pool, as the post advises, or
 * with what Axis2 makes itself.
 */
final class Calls implements AutoCloseable {

    private static final String OK = "ok";
    private static final String FAULT = "soap fault";
    private static final String NO_CONNECTION = "no connection";
    private static final String NO_ANSWER = "no answer";
    private static final String LOST = "lost";
    /** From Axis2 1.5.1 on; earlier versions know no such property. */
    private static final String OWN_CLEANUP = "ServiceClient.autoOperationCleanup";

    private final Plan plan;
    private final ObservedPool pool = new ObservedPool();
    private final int openedBefore = OpenedConnections.count();
    private final ConfigurationContext context;
    private final AtomicInteger next = new AtomicInteger();
    /** Clients and answers stay reachable: the pool takes back what the garbage collector finds, some time. */
    private final ConcurrentLinkedQueue<Object> held = new ConcurrentLinkedQueue<>();

    Calls(Plan plan) throws AxisFault {
        this.plan = plan;
        context = ConfigurationContextFactory.createConfigurationContextFromURIs(
                Calls.class.getResource("axis2.xml"), null);
        if (plan.ownClient()) {
            return;
        }
        if (plan.connections() > 0) {
            HttpConnectionManagerParams params = new HttpConnectionManagerParams();
            params.setDefaultMaxConnectionsPerHost(plan.connections());
            pool.setParams(params);
        }
        HttpClient client = new HttpClient(pool);
        client.getParams().setConnectionManagerTimeout(plan.timeoutMs());
        context.setProperty(HTTPConstants.CACHED_HTTP_CLIENT, client);
    }

    /** Makes all calls; each thread makes its next when its last has ended. */
    void make() throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(plan.threads());
        try (CallLog record = new CallLog(plan.record())) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < plan.threads(); thread++) {
                int own = thread;
                running.add(threads.submit(() -> {
                    callOn(own, record);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread could not make its calls: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns how many connections the pool holds, in use or not; none is in it where Axis2 has its own. */
    int connections() {
        return pool.getConnectionsInPool();
    }

    /** Returns how many connections were opened for these calls. */
    int opened() {
        return OpenedConnections.count() - openedBefore;
    }

    private void callOn(int thread, CallLog record) throws IOException {
        ServiceClient client = null;
        for (int number = next.getAndIncrement(); number < plan.calls(); number = next.getAndIncrement()) {
            if (client == null || plan.newClients()) {
                client = newClient();
            }
            OMElement message = Messages.echo(number, plan.orders(), plan.padding());
            pool.forget();
            long asked = System.nanoTime();
            String outcome = OK;
            String detail = "";
            try {
                detail = call(client, message, number);
                outcome = detail.isEmpty() ? OK : NO_ANSWER;
            } catch (Exception e) {
                outcome = outcome(e);
                detail = String.valueOf(e.getMessage());
            }
            long ended = System.nanoTime();
            record.add(number, thread, asked, pool.givenAt(0), ended, outcome, detail);
        }
    }

    /** Makes a call and returns what is wrong with its answer, or nothing. */
    private String call(ServiceClient client, OMElement message, int number) throws AxisFault {
        try {
            OMElement answer = client.sendReceive(message);
            held.add(answer);
            boolean unread = plan.release() == Release.NONE || plan.release() == Release.NEVER;
            return unread ? "" : Messages.problem(answer, number);
        } finally {
            if (plan.release() == Release.CLEANUP) {
                client.cleanupTransport();
            }
        }
    }

    private ServiceClient newClient() throws AxisFault {
        ServiceClient client = new ServiceClient(context, null);
        Options options = new Options();
        options.setTo(new EndpointReference(plan.address()));
        options.setAction("urn:echo");
        options.setTimeOutInMilliSeconds(60_000);
        if (plan.release() == Release.AUTO) {
            options.setProperty(HTTPConstants.AUTO_RELEASE_CONNECTION, Constants.VALUE_TRUE);
        }
        options.setCallTransportCleanup(plan.release() == Release.OPTION);
        if (plan.release() == Release.NEVER) {
            options.setProperty(OWN_CLEANUP, Boolean.FALSE);
        }
        client.setOptions(options);
        held.add(client);
        return client;
    }

    private static String outcome(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectionPoolTimeoutException) {
                return NO_CONNECTION;
            }
            if (cause instanceof IOException && !(cause instanceof AxisFault)) {
                return LOST;
            }
        }
        return error instanceof AxisFault ? FAULT : NO_ANSWER;
    }

    @Override
    public void close() throws AxisFault {
        pool.shutdown();
        context.terminate();
    }
}
