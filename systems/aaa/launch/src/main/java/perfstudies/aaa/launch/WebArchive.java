package perfstudies.aaa.launch;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import perfstudies.aaa.Settings;

/** The application as a folder with the layout of a web archive, put together from the jar or folder of its classes. */
public final class WebArchive {

    private static final String INFORMATION = "WEB-INF";

    private WebArchive() {
    }

    /**
     * Writes the archive into a new folder.
     *
     * @param descriptors further files of WEB-INF by their names, with their text
     */
    public static void write(Path folder, Map<String, String> descriptors) throws IOException {
        Path classes = Files.createDirectories(folder.resolve(INFORMATION).resolve("classes"));
        Path source = application();
        if (Files.isDirectory(source)) {
            copy(source, classes);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(source)) {
                copy(jar.getPath("/"), classes);
            }
        }
        for (Map.Entry<String, String> descriptor : descriptors.entrySet()) {
            Files.writeString(folder.resolve(INFORMATION).resolve(descriptor.getKey()), descriptor.getValue());
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(source)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Path copy = target.resolve(source.relativize(file).toString());
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
        }
    }

    /** The jar of the application, or the folder of its classes if it was not packed yet. */
    private static Path application() {
        try {
            URI place = Settings.class.getProtectionDomain().getCodeSource().getLocation().toURI();
            return Path.of(place);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
