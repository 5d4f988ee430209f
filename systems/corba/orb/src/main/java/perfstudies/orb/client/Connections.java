package perfstudies.orb.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.omg.CORBA.ORB;
import perfstudies.orb.Orbs;
import perfstudies.orb.contract.Target;
import perfstudies.orb.contract.TargetHelper;

/** Target objects over several connections, each by a broker of its own; the objects are the connections' in turn. */
final class Connections implements AutoCloseable {

    private final List<ORB> brokers = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();

    /**
     * Opens the connections.
     *
     * @param references the objects', with commas between them
     * @param timeoutMs after which a call fails that has no answer
     */
    Connections(String references, int count, int timeoutMs) {
        String[] objects = references.split(",");
        for (int connection = 0; connection < count; connection++) {
            ORB broker = Orbs.init(Initializer.class, Map.of(
                    // A lost server is told of at once, not asked for again.
                    "jacorb.retries", "0",
                    "jacorb.connection.client.pending_reply_timeout", Integer.toString(timeoutMs)));
            brokers.add(broker);
            targets.add(TargetHelper.narrow(broker.string_to_object(objects[connection % objects.length])));
        }
        // The first call opens the connection.
        targets.forEach(target -> target.serve(0));
    }

    int count() {
        return targets.size();
    }

    Target target(int connection) {
        return targets.get(connection);
    }

    @Override
    public void close() {
        brokers.forEach(broker -> broker.shutdown(true));
    }
}
