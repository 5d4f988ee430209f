package perfstudies.aaa.log;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A CSV file that threads write whole lines to, or nothing if there is no file. Goes on with a file that is there. */
public final class CsvLog implements Closeable, Flushable {

    private Writer writer;

    public CsvLog(Path file, String header) throws IOException {
        if (file == null) {
            return;
        }
        writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        if (Files.size(file) == 0) {
            write(header);
        }
    }

    /** Adds a line of values, each as it is: numbers, names, and what {@link #cell} made. */
    public void line(Object... values) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            line.append(i == 0 ? "" : ",").append(values[i]);
        }
        write(line.toString());
    }

    /** A text that stays one value: quoted if it needs to be, and on one line. */
    public static String cell(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.matches("[^\",]*") ? line : '"' + line.replace("\"", "\"\"") + '"';
    }

    private synchronized void write(String line) throws IOException {
        if (writer != null) {
            writer.write(line);
            writer.write('\n');
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        if (writer != null) {
            writer.flush();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (writer != null) {
            writer.close();
            writer = null;
        }
    }
}
