package perfstudies.aaa.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkFolderTest {

    @TempDir
    Path parent;

    @Test
    void removesTheFoldersOfProcessesThatAreGone() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path left = Files.createDirectories(parent.resolve("aaa-server-" + gone.pid()).resolve("gfembed1tmp/config"));
        Files.writeString(left.resolve("domain.xml"), "<domain/>");
        Path running = Files.createDirectory(
                parent.resolve("aaa-server-" + ProcessHandle.current().parent().orElseThrow().pid()));
        Path other = Files.createDirectory(parent.resolve("aaa-server-of-mine"));

        Path own = WorkFolder.make(parent).path();
        assertEquals("aaa-server-" + ProcessHandle.current().pid(), own.getFileName().toString());
        assertTrue(Files.isDirectory(own));
        assertFalse(Files.exists(parent.resolve("aaa-server-" + gone.pid())));
        assertTrue(Files.exists(running), "its process runs");
        assertTrue(Files.exists(other), "no such name");
    }

    @Test
    void replacesWhatAnEarlierProcessOfTheSameNumberLeft() throws Exception {
        Files.writeString(WorkFolder.make(parent).path().resolve("old"), "");
        WorkFolder again = WorkFolder.make(parent);
        assertFalse(Files.exists(again.path().resolve("old")));
        again.delete();
        again.delete();
        assertFalse(Files.exists(again.path()));
        assertTrue(Files.exists(parent));
    }
}
