package perfstudies.aaa.engine;

import perfstudies.aaa.Deployment;
import perfstudies.aaa.log.RequestRecord;

/** What goes with a request through the container: where it is, its record, and its session once it has one. */
public final class Call {

    private final Deployment deployment;
    private final RequestRecord record;
    private String session = "";

    public Call(Deployment deployment, RequestRecord record) {
        this.deployment = deployment;
        this.record = record;
    }

    public Deployment deployment() {
        return deployment;
    }

    public RequestRecord record() {
        return record;
    }

    /** The session's name, or empty before there is one. */
    public String session() {
        return session;
    }

    void begin(String name) {
        session = name;
    }
}
