package perfstudies.orb.client;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import perfstudies.orb.Micros;

/**
 * When each request was due, sent and answered, and what came of it. Each is noted once, by the thread that sent it;
 * who writes the record has waited for the end of all these threads.
 */
final class ClientRecord {

    static final String HEADER = "number,connection,intended_ns,sent_ns,ended_ns,outcome";
    static final String OK = "ok";

    private final Schedule schedule;
    private final long startNs;
    private final long[] sentNs;
    private final long[] endedNs;
    private final String[] outcomes;

    ClientRecord(Schedule schedule, long startNs) {
        this.schedule = schedule;
        this.startNs = startNs;
        sentNs = new long[schedule.requests()];
        endedNs = new long[schedule.requests()];
        outcomes = new String[schedule.requests()];
    }

    void note(int number, long sent, long ended, String outcome) {
        sentNs[number] = sent;
        endedNs[number] = ended;
        outcomes[number] = outcome;
    }

    /** How many requests were sent. */
    int sent() {
        int count = 0;
        for (String outcome : outcomes) {
            count += outcome == null ? 0 : 1;
        }
        return count;
    }

    /** How many were answered as they should be. */
    int answered() {
        int count = 0;
        for (String outcome : outcomes) {
            count += OK.equals(outcome) ? 1 : 0;
        }
        return count;
    }

    /** Writes a line a request that was sent, in the order of their numbers; times are the clock's, to the microsecond. */
    void write(Path file) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            writer.write(HEADER + "\n");
            for (int number = 0; number < outcomes.length; number++) {
                if (outcomes[number] != null) {
                    long dueNs = startNs + schedule.dueNs(number);
                    writer.write(number + "," + schedule.connection(number) + "," + Micros.floor(dueNs) + ","
                            + Micros.floor(sentNs[number]) + "," + Micros.floor(endedNs[number]) + ","
                            + outcomes[number] + "\n");
                }
            }
        }
    }
}
