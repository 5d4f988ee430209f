package perfstudies.aaa;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import perfstudies.aaa.engine.Policy;
import perfstudies.aaa.log.Counters;
import perfstudies.aaa.log.CsvLog;
import perfstudies.aaa.log.Logs;
import perfstudies.aaa.log.MessageLog;
import perfstudies.aaa.log.RequestRecord;
import perfstudies.aaa.soap.SoapClient;

/**
 * What the parts of one deployed AAA server share: its settings, logs and counters.
 *
 * <p>The container makes the beans, perhaps before the servlet, so there is one current deployment that both find: the
 * first who needs it opens it, by the file that the system property {@value #CONFIG} names; the servlet closes it.
 */
public final class Deployment {

    /** The system property, or the servlet context's parameter, that names the file of settings. */
    public static final String CONFIG = "aaa.config";
    public static final String SESSION_HEADER = "at_us,session,client,number,type,user,answer,elapsed_us";

    private static Deployment current;

    private final Settings settings;
    private final Counters counters = new Counters();
    private final CsvLog requestLog;
    private final CsvLog sessionLog;
    private final MessageLog messages;
    private final Logs logs;
    private final Statistics statistics;
    private final SoapClient soapClient;
    private final Random timerUnits;
    private final Map<String, Policy> policies = new ConcurrentHashMap<>();

    /** Opens the logs; does not make this the current deployment. */
    public Deployment(Settings settings) throws IOException {
        this.settings = settings;
        requestLog = new CsvLog(settings.path("server.log"), RequestRecord.HEADER);
        sessionLog = new CsvLog(settings.path("session.log"), SESSION_HEADER);
        messages = new MessageLog(settings.text("party"), settings.path("message.log"));
        logs = new Logs(requestLog, sessionLog, messages.log());
        statistics = new Statistics(counters, messages);
        soapClient = new SoapClient(messages, settings.whole("equipment.timeout_ms"));
        timerUnits = new Random(settings.large("timer.seed"));
    }

    /** The current deployment, opened now if there is none. */
    public static synchronized Deployment current() {
        return current == null ? open(System.getProperty(CONFIG)) : current;
    }

    /**
     * The deployment by this file of settings, opened now if the current one is of other settings; no file stands for
     * the defaults.
     */
    public static synchronized Deployment open(String file) {
        try {
            Settings settings = file == null ? Settings.of(new Properties(), Settings.SERVER)
                    : Settings.read(Path.of(file));
            if (current != null && !current.settings.equals(settings)) {
                // A late request of the former deployment made it after that was closed.
                current.close();
            }
            if (current == null) {
                current = new Deployment(settings);
                current.statistics.register();
            }
            return current;
        } catch (UsageException | IOException e) {
            throw new IllegalStateException("the AAA server cannot start: " + e.getMessage(), e);
        }
    }

    /** Closes the logs. The next who needs a deployment opens another. */
    public void close() throws IOException {
        synchronized (Deployment.class) {
            if (current == this) {
                current = null;
                statistics.unregister();
            }
        }
        logs.close();
    }

    public Settings settings() {
        return settings;
    }

    public Counters counters() {
        return counters;
    }

    public CsvLog requestLog() {
        return requestLog;
    }

    public CsvLog sessionLog() {
        return sessionLog;
    }

    public MessageLog messages() {
        return messages;
    }

    public SoapClient soapClient() {
        return soapClient;
    }

    /** The policies that were read already; used if the setting policy.cache is true. */
    public Map<String, Policy> policies() {
        return policies;
    }

    /** The length of a request's time unit in ms: the same for all, or drawn from an exponential distribution. */
    public double timerUnitMs() {
        double mean = settings.number("timer.unit_ms");
        return settings.truth("timer.random") ? -mean * Math.log(1 - timerUnits.nextDouble()) : mean;
    }
}
