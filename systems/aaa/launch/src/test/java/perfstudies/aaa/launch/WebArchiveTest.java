package perfstudies.aaa.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebArchiveTest {

    @TempDir
    Path folder;

    @Test
    void hasTheApplicationAndTheDescriptors() throws Exception {
        WebArchive.write(folder.resolve("war"), Map.of("server.xml", "<server/>"));

        Path information = folder.resolve("war/WEB-INF");
        assertEquals("<server/>", Files.readString(information.resolve("server.xml")));
        assertTrue(Files.exists(information.resolve("classes/META-INF/persistence.xml")));
        assertTrue(Files.exists(information.resolve("classes/META-INF/ejb-jar.xml")));
        assertTrue(Files.exists(information.resolve("classes/perfstudies/aaa/web/AaaServlet.class")));
    }
}
