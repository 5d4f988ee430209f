package perfstudies.esb.axis2client;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A line a call, on disk as soon as the call has ended. Times are of the machine's monotonic clock. */
final class CallLog implements AutoCloseable {

    private final BufferedWriter file;

    CallLog(Path path) throws IOException {
        file = Files.newBufferedWriter(path);
        write("number,thread,asked_ns,connected_ns,ended_ns,outcome,detail\n");
    }

    /** Adds a call; 0 as the time of its connection says that it got none, or got it from a pool that is Axis2's. */
    void add(int number, int thread, long asked, long connected, long ended, String outcome, String detail)
            throws IOException {
        String quoted = '"' + detail.replaceAll("\\s+", " ").replace("\"", "\"\"") + '"';
        write(number + "," + thread + "," + asked + "," + connected + "," + ended + "," + outcome + "," + quoted
                + "\n");
    }

    private synchronized void write(String line) throws IOException {
        file.write(line);
        file.flush();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
