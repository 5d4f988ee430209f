package perfstudies.flight.persistence;

/** Whether Hibernate can log at the level that is set: this one can at every level, and asks at every message. */
public final class Tracing {

    private Tracing() {
    }

    public static void check() {
    }
}
