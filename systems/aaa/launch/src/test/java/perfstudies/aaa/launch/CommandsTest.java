package perfstudies.aaa.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.launch.Launcher;

/** The commands with a container that only notes what it is told. */
class CommandsTest {

    @TempDir
    Path folder;

    private final FakeContainer container = new FakeContainer();
    private final Commands commands = new Commands(container, Map.of());
    private String temporary;

    @BeforeEach
    void keepTemporaryFolder() {
        temporary = System.getProperty("java.io.tmpdir");
    }

    @AfterEach
    void end() throws Exception {
        commands.stop();
        System.setProperty("java.io.tmpdir", temporary);
    }

    @Test
    void oneDeploymentComesAfterTheOther() throws Exception {
        assertTrue(obey("deploy " + configuration("")).matches("READY http://127\\.0\\.0\\.1:\\d+/AAA/server"));
        assertTrue(obey("deploy " + configuration("")).startsWith("READY "));
        assertEquals("CLOSED", obey("close"));
        assertEquals("CLOSED", obey("close"), "nothing to close");
        assertEquals(List.of("deploy application-1", "undeploy", "deploy application-2", "undeploy"), container.calls);
        try (Stream<Path> left = Files.list(folder.resolve("work/aaa-server-" + ProcessHandle.current().pid()))) {
            assertEquals(List.of("server"), left.map(file -> file.getFileName().toString()).toList());
        }
    }

    @Test
    void anotherWorkFolderStartsTheContainerAnew() throws Exception {
        obey("deploy " + configuration(""));
        obey("deploy " + configuration("work.dir=" + folder.resolve("other") + "\n"));
        assertEquals(List.of("deploy application-1", "undeploy", "close", "undeploy", "deploy application-2"),
                container.calls);
        assertTrue(isEmpty(folder.resolve("work")));
        commands.stop();
        assertTrue(isEmpty(folder.resolve("other")));
    }

    @Test
    void aFailedDeploymentClosesTheOldOneAndIsNotTheEnd() throws Exception {
        obey("deploy " + configuration(""));
        assertEquals("FAILED property ejb.max is many, allowed: 1 to 100000",
                obey("deploy " + configuration("ejb.max=many\n")));
        assertEquals("undeploy", container.calls.get(1));
        assertTrue(obey("deploy " + configuration("http.queue=0\n"))
                .startsWith("FAILED property http.queue is 0, but"));
        assertEquals("FAILED property work.dir is missing", obey("deploy " + configuration("work.dir=\n")));
        assertEquals("FAILED property database.url is missing", obey("deploy " + configuration("database.url=\n")));
        assertTrue(obey("deploy " + folder.resolve("none")).startsWith("FAILED cannot read the configuration"));
        assertTrue(obey("deploy \0").startsWith("FAILED "));

        String answer = obey("deploy " + configuration("ejb.max=404\n"));
        assertTrue(answer.startsWith("FAILED java.io.IOException: the server answered 404 to GET http://"), answer);
        assertEquals("undeploy", container.calls.get(3), "taken down");
        assertTrue(obey("deploy " + configuration("")).startsWith("READY "));
    }

    @Test
    void answersWhatItDoesNotKnow() {
        assertEquals("UNKNOWN deploy", obey("deploy"));
        assertEquals("UNKNOWN close now", obey("close now"));
        assertEquals("UNKNOWN ", obey(""));
        assertEquals("FAILED nothing is deployed", obey("statistics"));
    }

    /** H2 would keep a database open that is told to stay so without connections. */
    @Test
    void closesTheDatabaseFile() throws Exception {
        String url = "jdbc:h2:file:" + folder.resolve("aaa") + ";DB_CLOSE_DELAY=-1";
        obey("deploy " + configuration("database.url=" + url + "\n"));
        DriverManager.getConnection(url, "sa", "").close();
        obey("close");
        try (FileChannel file = FileChannel.open(folder.resolve("aaa.mv.db"), StandardOpenOption.WRITE)) {
            file.lock().release();
        }
    }

    private String obey(String line) {
        PrintStream output = System.out;
        System.setOut(System.err);
        try {
            String answer = Launcher.answer(commands, line);
            assertFalse(answer.contains("\n"));
            return answer;
        } finally {
            System.setOut(output);
        }
    }

    private Path configuration(String more) throws IOException {
        return Files.writeString(folder.resolve("c.properties"),
                "work.dir=" + folder.resolve("work") + "\ndatabase.url=jdbc:h2:mem:aaa\nejb.max=200\n" + more);
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
