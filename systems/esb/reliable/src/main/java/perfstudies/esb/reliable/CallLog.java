package perfstudies.esb.reliable;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.cxf.binding.soap.SoapFault;

/** The client's record: a line a call, in the file when the call has ended, so that a kill loses none. */
final class CallLog implements AutoCloseable {

    private final OutputStream out;

    CallLog(Path file) throws IOException {
        boolean fresh = !Files.exists(file);
        out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        if (fresh) {
            write("number,attempt,started_ns,ended_ns,outcome,detail\n");
        }
    }

    void add(long number, int attempt, long startedNs, long endedNs, Throwable failure) {
        write(number + "," + attempt + "," + startedNs + "," + endedNs + "," + outcome(failure) + ","
                + (failure == null ? "" : root(failure).getClass().getSimpleName()) + "\n");
    }

    private static String outcome(Throwable failure) {
        if (failure == null) {
            return "ok";
        }
        Throwable root = root(failure);
        if (root instanceof SoapFault) {
            return "soap fault";
        }
        if (root instanceof HttpTimeoutException || root instanceof SocketTimeoutException) {
            return "timed out";
        }
        return root instanceof ConnectException ? "refused" : "lost";
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private void write(String line) {
        try {
            out.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
