package perfstudies.monitor;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** One thread's file in the monitor's folder, which is opened for its first record. */
final class ThreadFile {

    private final RecordFiles files;
    private final Problems problems;
    private OutputStream stream;

    ThreadFile(RecordFiles files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    /**
     * Writes text that no buffer holds back. A record that cannot be written is reported, not thrown: the request
     * itself was answered.
     */
    void write(String text) {
        try {
            if (stream == null) {
                stream = files.open();
            }
            stream.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            problems.report("record lost", e.toString());
        }
    }
}
