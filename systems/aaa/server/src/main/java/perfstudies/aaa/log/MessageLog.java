package perfstudies.aaa.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** The protocol messages that a party sends and receives: a line each, so that those of a session can be counted. */
public final class MessageLog {

    public static final String HEADER = "at_us,party,direction,peer,operation,session";
    /** The HTTP header by which a sender says what it is: a party's name. Without it, it is a user. */
    public static final String PARTY_HEADER = "X-Party";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String party;
    private final String partyCell;
    private final CsvLog log;
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();

    public MessageLog(String party, Path file) throws IOException {
        this.party = party;
        this.partyCell = CsvLog.cell(party);
        this.log = new CsvLog(file, HEADER);
    }

    /** The file, for who flushes and closes it. */
    public CsvLog log() {
        return log;
    }

    public String party() {
        return party;
    }

    /** The name that a sender gives itself, or {@code user}. */
    public static String peer(String header) {
        return header != null && NAME.matcher(header).matches() ? header : "user";
    }

    public void sent(String peer, String operation, String session) throws IOException {
        sent.increment();
        log.line(nowUs(), partyCell, "sent", peer, operation, session);
    }

    /** A message that came at a time that is past, because its session was not known yet. */
    public void received(long atUs, String peer, String operation, String session) throws IOException {
        received.increment();
        log.line(atUs, partyCell, "received", peer, operation, session);
    }

    public static long nowUs() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }

    /** How many were sent since this was last asked. */
    public long takeSent() {
        return sent.sumThenReset();
    }

    public long takeReceived() {
        return received.sumThenReset();
    }
}
