package perfstudies.esb.reliable;

import java.util.Locale;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/**
 * Ends the process at a place and a message that were chosen beforehand, as a kill at that moment would: nothing is
 * flushed, closed or told to anybody.
 */
final class Halts {

    /** The status of a process that ended so: that of one that SIGKILL ended, in a shell. */
    static final int STATUS = 137;

    enum Place {
        /** Server: the message is here and its transaction has not begun. */
        RECEIVED,
        /** Either: the storage is updated, the transaction not committed. */
        UPDATED,
        /** Server: committed, but nobody knows yet. Client: committed, but nothing sent yet. */
        COMMITTED,
        /** Client: the call has returned. */
        SENT
    }

    private final Place place;
    private final long number;

    /** @param settings with {@code halt.at}, a place or nowhere, and {@code halt.number}, the message */
    Halts(Settings settings) {
        String at = settings.text("halt.at");
        number = settings.number("halt.number", 0);
        try {
            place = at.equals("nowhere") ? null : Place.valueOf(at.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new UsageException("halt.at = " + at + ": must be nowhere, received, updated, committed or sent");
        }
    }

    void reached(Place here, long message) {
        if (here == place && message == number) {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}
