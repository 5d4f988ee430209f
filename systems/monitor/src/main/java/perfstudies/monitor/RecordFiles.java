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

/** The folder of the monitor: a file for each thread that ever ended a request, so that threads never wait here. */
final class RecordFiles {

    private final Path folder;
    private final List<OutputStream> streams = new ArrayList<>();

    /**
     * Takes a folder that holds no records yet, creating it if need be.
     *
     * @throws FileAlreadyExistsException if it has records: those of two runs must never get into one file
     */
    RecordFiles(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
        try (DirectoryStream<Path> old = Files.newDirectoryStream(folder, "monitor-*.log")) {
            for (Path file : old) {
                throw new FileAlreadyExistsException(file.toString(), null, "records of an earlier run");
            }
        }
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
