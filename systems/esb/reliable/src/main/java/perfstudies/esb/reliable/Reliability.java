package perfstudies.esb.reliable;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.ws.addressing.WSAddressingFeature;
import org.apache.cxf.ws.rm.RM11Constants;
import org.apache.cxf.ws.rm.RMConfiguration;
import org.apache.cxf.ws.rm.RMManager;
import org.apache.cxf.ws.rm.feature.RMFeature;
import org.apache.cxf.ws.rm.manager.AcksPolicyType;
import org.apache.cxf.ws.rm.manager.DestinationPolicyType;
import org.apache.cxf.ws.rm.manager.RetryPolicyType;
import org.apache.cxf.ws.rm.manager.SequenceTerminationPolicyType;
import org.apache.cxf.ws.rm.manager.SourcePolicyType;
import org.apache.cxf.ws.rm.persistence.jdbc.RMTxStore;

/** CXF as a delivery needs it: a bus, and on it WS-ReliableMessaging 1.1, configured alike at both ends. */
final class Reliability {

    /** H2's state for a table that exists, which the store expects when it starts again. */
    private static final String TABLE_EXISTS = "42S01";
    /** It reports each attempt that a fault of the experiment makes fail. Kept here, as loggers that nobody has end. */
    private static final Logger TALKATIVE = Logger.getLogger("org.apache.cxf");

    private Reliability() {
    }

    static void silence() {
        TALKATIVE.setLevel(Level.OFF);
    }

    /**
     * Makes a bus.
     *
     * @param id by which stored sequences are found again
     * @param againMs after which CXF sends an unacknowledged message again, or hands an undelivered one over again
     * @param pauseMs for which the store waits before it stores what has come in
     */
    static Bus bus(String id, Delivery delivery, Database database, long againMs, long pauseMs) {
        Bus bus = BusFactory.newInstance().createBus();
        bus.setId(id);
        if (delivery.isReliable()) {
            configure(bus.getExtension(RMManager.class), delivery, database, againMs, pauseMs);
            // On the bus and not on a client: what a client has of its own is not there when CXF goes on with messages
            // from its store before the first new call, and they would go without their headers.
            new WSAddressingFeature().initialize(bus);
            new RMFeature().initialize(bus);
        }
        return bus;
    }

    private static void configure(
            RMManager manager, Delivery delivery, Database database, long againMs, long pauseMs) {
        RMConfiguration configuration = new RMConfiguration();
        configuration.setRMNamespace(RM11Constants.NAMESPACE_URI);
        configuration.setBaseRetransmissionInterval(againMs);
        configuration.setExponentialBackoff(false);
        configuration.setDeliveryAssurance(assurance(delivery));
        manager.setConfiguration(configuration);

        SourcePolicyType source = new SourcePolicyType();
        SequenceTerminationPolicyType termination = new SequenceTerminationPolicyType();
        // A client that ends says nothing: it may have been killed as well.
        termination.setTerminateOnShutdown(false);
        source.setSequenceTerminationPolicy(termination);
        manager.setSourcePolicy(source);

        DestinationPolicyType destination = new DestinationPolicyType();
        destination.setAcksPolicy(new AcksPolicyType());
        if (delivery.isStored()) {
            // Without it CXF never hands a stored message over that it had when its process ended.
            RetryPolicyType retry = new RetryPolicyType();
            retry.setMaxRetries(-1);
            retry.setInterval(againMs);
            retry.setAlgorithm("None");
            destination.setRetryPolicy(retry);
            // Before any endpoint is made: endpoints look into the store for what they have to go on with.
            manager.setStore(store(delivery, database, pauseMs));
        }
        manager.setDestinationPolicy(destination);
    }

    private static RMConfiguration.DeliveryAssurance assurance(Delivery delivery) {
        // In the transactional model the destination's store decides what is a duplicate (see LedgerService).
        return delivery == Delivery.TRANSACTIONAL
                ? RMConfiguration.DeliveryAssurance.AT_LEAST_ONCE : RMConfiguration.DeliveryAssurance.EXACTLY_ONCE;
    }

    private static RMTxStore store(Delivery delivery, Database database, long pauseMs) {
        RMTxStore store = pauseMs == 0 ? new RMTxStore() : new SlowStore(pauseMs);
        store.setTableExistsState(TABLE_EXISTS);
        if (delivery == Delivery.TRANSACTIONAL) {
            store.setKeepConnection(false);
            store.setDataSource(database);
        } else {
            store.setDriverClassName("org.h2.Driver");
            store.setUrl(database.url());
            store.setUserName("sa");
            store.setPassword("");
        }
        store.init();
        return store;
    }
}
