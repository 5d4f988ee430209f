package perfstudies.aaa.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Several logs that are flushed five times a second, and closed together. */
public final class Logs implements Closeable {

    private static final long PAUSE_MS = 200;

    private final List<CsvLog> logs;
    private final Thread flusher;
    private volatile boolean closed;

    public Logs(CsvLog... logs) {
        this.logs = List.of(logs);
        flusher = new Thread(this::flush, "aaa-flush");
        flusher.setDaemon(true);
        flusher.start();
    }

    private void flush() {
        while (!closed) {
            try {
                Thread.sleep(PAUSE_MS);
                for (CsvLog log : logs) {
                    log.flush();
                }
            } catch (InterruptedException e) {
                return;
            } catch (IOException e) {
                System.err.println("aaa: a log cannot be written: " + e);
                return;
            }
        }
    }

    /** Closes every log, even if one of them fails. */
    @Override
    public void close() throws IOException {
        closed = true;
        flusher.interrupt();
        IOException failure = null;
        for (CsvLog log : logs) {
            try {
                log.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
