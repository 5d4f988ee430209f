package perfstudies.aaa.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder in which this process keeps all its files. Its name ends with the process's number, so that whoever
 * comes next can tell the folders of killed processes and remove them.
 */
final class WorkFolder {

    private static final String PREFIX = "aaa-server-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)");

    private final Path folder;

    private WorkFolder(Path folder) {
        this.folder = folder;
    }

    /** Makes the process's folder inside the given one, and removes those of processes that are gone. */
    static WorkFolder make(Path parent) throws IOException {
        Files.createDirectories(parent);
        long own = ProcessHandle.current().pid();
        List<Path> folders;
        try (Stream<Path> all = Files.list(parent)) {
            folders = all.toList();
        }
        for (Path old : folders) {
            Matcher name = NAME.matcher(old.getFileName().toString());
            if (name.matches() && (Long.parseLong(name.group(1)) == own
                    || ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty())) {
                delete(old);
            }
        }
        return new WorkFolder(Files.createDirectory(parent.resolve(PREFIX + own)).toRealPath());
    }

    Path path() {
        return folder;
    }

    void delete() throws IOException {
        delete(folder);
    }

    /** Removes a folder with all that is in it; what vanishes meanwhile is as good as removed. */
    static void delete(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
