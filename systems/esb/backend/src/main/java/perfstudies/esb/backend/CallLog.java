package perfstudies.esb.backend;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** When each call entered the service and left it, a line a call, on disk before its answer is sent. */
final class CallLog implements AutoCloseable {

    private final BufferedWriter file;

    CallLog(Path path) throws IOException {
        file = Files.newBufferedWriter(path);
        file.write("entered_ns,left_ns\n");
        file.flush();
    }

    /** Adds a call; times are {@link System#nanoTime()}, the machine's monotonic clock on Linux. */
    synchronized void add(long entered, long left) {
        try {
            file.write(entered + "," + left + "\n");
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
