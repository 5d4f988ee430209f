package perfstudies.esb.reliable;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import javax.xml.namespace.QName;
import org.apache.cxf.Bus;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.apache.cxf.ws.rm.MessageCallback;
import org.apache.cxf.ws.rm.RMManager;
import org.apache.cxf.ws.rm.RMMessageConstants;
import perfstudies.launch.Settings;
import perfstudies.esb.reliable.Halts.Place;

/**
 * The client's side: an application that adds a message to its own storage and tells the server, one message after
 * the other.
 *
 * <pre>
 * send LAST    SENT count      messages up to LAST are sent; those that its storage has are not sent again
 * settle MS    SETTLED count   so many are unacknowledged when none is left, or none was acknowledged for MS
 * </pre>
 */
final class Client implements Side {

    private static final long POLL_MS = 5;
    private static final long TIMEOUT_MS = 5000;
    /** Attempts at one message before the client gives up on it. */
    private static final int ATTEMPTS = 100;
    /** How long it waits before the next. */
    private static final long PAUSE_MS = 50;

    private final Delivery delivery;
    private final boolean retry;
    private final String text;
    private final Database database;
    private final long gapMs;
    private final Halts halts;
    private final Bus bus;
    private final Ledger server;
    private final CallLog record;
    private long current;
    /** Whether the message of the current call will be sent until it is acknowledged, however the call ends. */
    private boolean taken;

    Client(Settings settings) throws Exception {
        delivery = settings.choice("delivery", Delivery.values());
        retry = settings.flag("retry");
        text = "x".repeat(settings.number("text.length", 0));
        gapMs = settings.number("gap_ms", 0);
        halts = new Halts(settings);
        database = new Database(Path.of(settings.text("work.dir"), "client"), ClientStorage.TABLE);
        record = new CallLog(Path.of(settings.text("record")));
        bus = Reliability.bus("esb-reliable-client", delivery, database, settings.number("again_ms", 1), 0);
        JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
        factory.setBus(bus);
        factory.setServiceClass(Ledger.class);
        factory.setServiceName(new QName(Ledger.NAMESPACE, "LedgerService"));
        factory.setEndpointName(new QName(Ledger.NAMESPACE, "LedgerPort"));
        factory.setAddress(settings.text("server"));
        if (delivery == Delivery.TRANSACTIONAL) {
            factory.getOutInterceptors().add(new CommitBeforeSending(database, this::updated, this::committed));
        }
        server = (Ledger) factory.create();
        if (delivery.isReliable() && delivery != Delivery.TRANSACTIONAL) {
            ClientProxy.getClient(server).getRequestContext().put(RMMessageConstants.RM_CLIENT_CALLBACK, told());
        }
        HTTPClientPolicy policy = new HTTPClientPolicy();
        policy.setAllowChunking(false);
        policy.setConnectionTimeout(TIMEOUT_MS);
        policy.setReceiveTimeout(TIMEOUT_MS);
        ((HTTPConduit) ClientProxy.getClient(server).getConduit()).setClient(policy);
    }

    /** CXF's own way to say that it will send a message until it is acknowledged. */
    private MessageCallback told() {
        return new MessageCallback() {
            @Override
            public void messageAccepted(String sequence, long number) {
                taken = true;
            }

            @Override
            public void messageAcknowledged(String sequence, long number) {
                // The application does not wait for it.
            }
        };
    }

    @Override
    public String address() {
        return "http://127.0.0.1:0";
    }

    @Override
    public String answer(String line) throws Exception {
        String[] words = line.split(" ");
        if (words.length == 2 && words[0].equals("send")) {
            return "SENT " + sendUpTo(Long.parseLong(words[1]));
        }
        if (words.length == 2 && words[0].equals("settle")) {
            return "SETTLED " + settle(Long.parseLong(words[1]));
        }
        return "UNKNOWN " + line;
    }

    private long sendUpTo(long last) throws Exception {
        long next;
        List<Long> open;
        try (Connection connection = database.getConnection()) {
            next = ClientStorage.last(connection) + 1;
            open = retry ? ClientStorage.unanswered(connection) : List.of();
        }
        for (long number : open) {
            deliver(number, System.nanoTime());
        }
        for (long number = next; number <= last; number++) {
            current = number;
            if (delivery == Delivery.TRANSACTIONAL) {
                sendInTransaction(number);
            } else {
                send(number);
            }
            Thread.sleep(gapMs);
        }
        return last;
    }

    private void send(long number) throws Exception {
        long started = System.nanoTime();
        database.transaction(connection -> {
            ClientStorage.insert(connection, number);
            updated();
        });
        committed();
        deliver(number, started);
    }

    private void updated() {
        halts.reached(Place.UPDATED, current);
    }

    private void committed() {
        taken = delivery == Delivery.TRANSACTIONAL;
        halts.reached(Place.COMMITTED, current);
    }

    /** Sends a message that is committed; if it may, again and again until it knows that somebody has taken it. */
    private void deliver(long number, long started) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            long began = attempt == 1 ? started : System.nanoTime();
            taken = false;
            RuntimeException failure = call(number);
            if (failure == null) {
                halts.reached(Place.SENT, number);
                if (retry) {
                    database.transaction(connection -> ClientStorage.answered(connection, number));
                }
            }
            record.add(number, attempt, began, System.nanoTime(), failure);
            // CXF lets some calls fail whose message it has taken all the same. What it has not taken was not sent.
            if (failure == null || taken || !(retry || delivery.isReliable())) {
                return;
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private RuntimeException call(long number) {
        try {
            if (delivery == Delivery.PLAIN) {
                server.apply(number, text);
            } else {
                server.post(number, text);
            }
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Updates the storage and gives the message to CXF's store in one transaction, again until that is committed. */
    private void sendInTransaction(long number) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            long began = System.nanoTime();
            RuntimeException failure = null;
            taken = false;
            try {
                database.transaction(connection -> {
                    ClientStorage.insert(connection, number);
                    server.post(number, text);
                });
                halts.reached(Place.SENT, number);
            } catch (RuntimeException e) {
                failure = e;
            }
            record.add(number, attempt, began, System.nanoTime(), failure);
            if (failure == null || taken) {
                return;
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    private int settle(long patienceMs) throws InterruptedException {
        if (!delivery.isReliable()) {
            return 0;
        }
        RMManager manager = bus.getExtension(RMManager.class);
        int left = manager.getRetransmissionQueue().countUnacknowledged();
        long deadline = System.nanoTime() + patienceMs * 1_000_000;
        while (left > 0 && System.nanoTime() < deadline) {
            Thread.sleep(POLL_MS);
            int now = manager.getRetransmissionQueue().countUnacknowledged();
            if (now < left) {
                deadline = System.nanoTime() + patienceMs * 1_000_000;
            }
            left = now;
        }
        return left;
    }

    @Override
    public void close() throws Exception {
        ClientProxy.getClient(server).destroy();
        bus.shutdown(true);
        record.close();
        database.close();
    }
}
