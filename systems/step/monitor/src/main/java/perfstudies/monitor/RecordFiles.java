package perfstudies.monitor;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The folder of the monitor: a file for each thread that ever wrote a record, so that threads never wait here. */
final class RecordFiles {

    /** The one file of the monitor whose threads share it. */
    static final String PERF4J = "perf4j.log";

    private final Path folder;
    private final List<OutputStream> streams = new ArrayList<>();

    /**
     * Takes a folder that holds no records yet, creating it if need be.
     *
     * @throws FileAlreadyExistsException if it has records: those of two runs must never get into one file
     */
    RecordFiles(Path folder) throws IOException {
        this.folder = fresh(folder);
    }

    /** The same folder, made and without records of any monitor, or the exception. */
    static Path fresh(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, "{monitor-*.log," + PERF4J + "}")) {
            for (Path file : old) {
                throw new FileAlreadyExistsException(file.toString(), null, "records of an earlier run");
            }
        }
        return folder;
    }

    /** Opens the calling thread's file. */
    synchronized OutputStream open() throws IOException {
        Path file = folder.resolve("monitor-" + Thread.currentThread().getId() + ".log");
        OutputStream stream = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
        streams.add(stream);
        return stream;
    }

    synchronized void close() {
        IOException failure = null;
        for (OutputStream stream : streams) {
            try {
                stream.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        streams.clear();
        if (failure != null) {
            throw new UncheckedIOException("monitor files in " + folder, failure);
        }
    }
}
