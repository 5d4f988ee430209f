package perfstudies.flight.logging;

import org.apache.log4j.Level;
import org.apache.log4j.MDC;
import org.apache.log4j.spi.Filter;
import org.apache.log4j.spi.LoggingEvent;
import perfstudies.launch.UsageException;

/**
 * Lets details, which are messages below info, into the log only when the thread works for one user.
 *
 * <p>A logger knows no user, so a message is made before it is found to be of no interest: what this saves is to write
 * it.
 */
public final class UserDetail extends Filter {

    private static final String KEY = "user";

    private final String user;

    UserDetail(String user) {
        this.user = user;
    }

    /** A {@link UsageException} if Log4j cannot do so: its releases of 2009 do not take every name of a JVM's version. */
    static void require() {
        begin(KEY);
        boolean known = KEY.equals(MDC.get(KEY));
        end();
        if (!known) {
            throw new UsageException("log.user: Log4j keeps no user on Java " + System.getProperty("java.version"));
        }
    }

    /** From now on this thread works for a user. */
    public static void begin(String user) {
        MDC.put(KEY, user);
    }

    /** From now on it works for nobody. */
    public static void end() {
        MDC.remove(KEY);
    }

    @Override
    public int decide(LoggingEvent event) {
        boolean passes = event.getLevel().isGreaterOrEqual(Level.INFO) || user.equals(event.getMDC(KEY));
        return passes ? NEUTRAL : DENY;
    }
}
