package perfstudies.esb.axis2client;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/**
 * What is to be called, and how.
 *
 * @param address of the service
 * @param calls how many
 * @param threads that call at the same time
 * @param ownClient whether Axis2 makes its HTTP client itself, as it does if nobody says
 * @param connections to a host at most; 0 leaves the pool's own default
 * @param release what gives a connection back
 * @param newClients whether each call has a service client of its own, instead of each thread
 * @param orders in each message
 * @param padding letters after them
 * @param timeoutMs how long a call waits for a connection; 0 is for ever
 * @param record the file to write
 */
record Plan(String address, int calls, int threads, boolean ownClient, int connections, Release release,
        boolean newClients, int orders, int padding, int timeoutMs, Path record) {

    static final String DEFAULT = "default";
    static final String OWN = "own";

    private static final Map<String, String> PROPERTIES = Settings.required("address", "calls", "threads",
            "connections", "release", "service.client", "orders", "padding", "pool.timeout_ms", "record");

    static Plan read(Path file) {
        Settings settings = Settings.read(file, PROPERTIES);
        boolean own = settings.text("connections").equals(OWN);
        boolean asItIs = own || settings.text("connections").equals(DEFAULT);
        return new Plan(loopback(settings.text("address")), settings.number("calls", 1), settings.number("threads", 1),
                own, asItIs ? 0 : settings.number("connections", 1), settings.choice("release", Release.values()),
                settings.word("service.client", "kept", "new").equals("new"), settings.number("orders", 1),
                settings.number("padding", 0), settings.number("pool.timeout_ms", 0), Path.of(settings.text("record")));
    }

    private static String loopback(String address) {
        String host = URI.create(address).getHost();
        if (!"127.0.0.1".equals(host) && !"localhost".equals(host)) {
            throw new UsageException("address = " + address + ": loads are sent to the loopback interface only");
        }
        return address;
    }
}
