package perfstudies.aaa.web;

import jakarta.ejb.ConcurrentAccessException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.AaaReply;
import perfstudies.aaa.engine.AaaRequest;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.engine.Engine;
import perfstudies.aaa.log.MessageLog;
import perfstudies.aaa.log.RequestRecord;
import perfstudies.aaa.soap.SafeXml;
import perfstudies.aaa.soap.Soap;

/** Answers one message after the other, of any thread; knows nothing of servlets, but calls the engine's bean. */
final class Endpoint {

    private static final String OK = "ok";
    private static final String LOST = "lost";

    private final SafeXml xml = new SafeXml(Endpoint.class.getResource("aaa.xsd"));
    private final Deployment deployment;
    private final Engine engine;

    /** How an answer goes out. */
    @FunctionalInterface
    interface Output {

        /**
         * Sends an answer.
         *
         * @param ejbMs for the header SOAPAction: the time in the EJB container, a decimal number of ms; null if the
         *     request did not get there
         */
        void send(int httpStatus, String ejbMs, byte[] message) throws IOException;
    }

    Endpoint(Deployment deployment, Engine engine) {
        this.deployment = deployment;
        this.engine = engine;
    }

    /**
     * Answers a message that begins to come in now, and records it.
     *
     * @param name the header X-Request, or null
     * @param party the header X-Party, or null
     */
    void answer(String name, String party, InputStream input, Output output) throws IOException {
        var counters = deployment.counters();
        counters.requests.increment();
        RequestRecord record = new RequestRecord(counters.nextRequest(), name, counters.threadsBusy.enter());
        String status = LOST;
        try {
            String peer = MessageLog.peer(party);
            Call call = new Call(deployment, record);
            byte[] message;
            try {
                message = Soap.envelope(decide(input, call).xml());
                status = OK;
            } catch (Refusal e) {
                message = Soap.fault(e.fault(), e.getMessage());
                status = e.fault().name();
                counters.faults.increment();
            }
            boolean fault = !status.equals(OK);
            deployment.messages().received(record.enteredUs(), peer, "AAARequest", call.session());
            // Before the answer is out, so that who counts messages when it has come finds this one.
            deployment.messages().sent(peer, fault ? "Fault" : "AAAReply", call.session());
            output.send(fault ? 500 : 200, ejbMs(record), message);
        } finally {
            counters.threadsBusy.leave();
            deployment.requestLog().line(record.values(status));
        }
    }

    private AaaReply decide(InputStream input, Call call) throws IOException, Refusal {
        AaaRequest request = AaaRequest.of(Soap.request(Soap.read(input), xml));
        call.record().ejbStarts();
        try {
            return engine.decide(request, call);
        } catch (ConcurrentAccessException e) {
            throw new Refusal(FaultName.NoBean, "the container has no bean for the request: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new Refusal(FaultName.ServerFailed, "the request failed: " + e, e);
        } finally {
            call.record().ejbEnds();
        }
    }

    private static String ejbMs(RequestRecord record) {
        return Double.isNaN(record.ejbMs()) ? null : String.format(Locale.ROOT, "%.3f", record.ejbMs());
    }
}
