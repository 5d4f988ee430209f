package perfstudies.esb.camel;

import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A line for each complaint, with its cause but without where in the program it came up. When a back end or a client
 * goes away, a thousand exchanges fail at once in the same place.
 */
final class BriefFormatter extends Formatter {

    /** Makes it the form of everything that the process complains of, and leaves out what is none. */
    static void install() {
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        for (Handler handler : root.getHandlers()) {
            handler.setFormatter(new BriefFormatter());
        }
    }

    @Override
    public String format(LogRecord complaint) {
        StringBuilder line = new StringBuilder().append(complaint.getLevel()).append(' ')
                .append(complaint.getLoggerName()).append(": ").append(formatMessage(complaint));
        Throwable last = null;
        for (Throwable cause = complaint.getThrown(); cause != null && cause != last; cause = cause.getCause()) {
            line.append(" <- ").append(cause);
            last = cause;
        }
        return line.toString().replaceAll("\\s+", " ") + System.lineSeparator();
    }
}
