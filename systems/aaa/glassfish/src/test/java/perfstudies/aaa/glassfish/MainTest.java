package perfstudies.aaa.glassfish;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.aaa.launch.ServerProcess.number;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.launch.ServerProcess;

/** The program as a process. Every start costs seconds, so one process goes through all. */
class MainTest {

    /** What the jar's manifest opens. */
    private static final List<String> OPENED = List.of("--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.naming/javax.naming.spi=ALL-UNNAMED");

    @TempDir
    Path folder;

    @Test
    void servesOneDeploymentAfterTheOther() throws Exception {
        try (ServerProcess killed = start("")) {
            assertTrue(killed.ready().matches("READY http://127\\.0\\.0\\.1:\\d+/AAA/server"), killed.ready());
        }
        try (ServerProcess server = start("http.threads=10\nejb.max=2\ntimer.unit_ms=100\n")) {
            assertEquals(1, server.filesLeft(), "the killed process's are gone");
            moreBeansThanTheMaximumWorkAtOnce(server, server.ready());
            deploymentsHaveTheirOwnPools(server);
            theEntityBeanFindsThePoliciesToo(server);
            aBeanThatWorksTooLongIsInterrupted(server);
            aFailedDeploymentIsNotTheEnd(server);

            assertEquals("CLOSED", server.obey("close"));
            try (FileChannel file = FileChannel.open(folder.resolve("aaa.mv.db"), StandardOpenOption.WRITE)) {
                file.lock().release();
            }
            assertEquals(0, server.end());
            assertEquals(0, server.filesLeft());
        }
    }

    private static void moreBeansThanTheMaximumWorkAtOnce(ServerProcess server, String ready) throws Exception {
        String first = server.ask(ready, 1, 1).get(0);
        assertTrue(first.startsWith("200 "), "a killed process's repository is whole: " + first);
        List<String> answers = server.ask(ready, 10, 20);
        assertTrue(answers.stream().allMatch(answer -> answer.matches("(?s)200 \\d+\\.\\d{3} .*<Answer>yes</.*")),
                answers::toString);
        String statistics = server.obey("statistics");
        assertTrue(number(statistics, "beans_busy_max") > 2, statistics);
        assertEquals(11, number(statistics, "requests"), statistics);
    }

    private static void deploymentsHaveTheirOwnPools(ServerProcess server) throws Exception {
        String ready = server.deploy("http.threads=3\nhttp.acceptors=2\ntimer.unit_ms=100\n");
        List<String> answers = server.ask(ready, 9, 2);
        assertTrue(answers.stream().allMatch(answer -> answer.startsWith("200 ")), answers::toString);
        String statistics = server.obey("statistics");
        assertEquals(9, number(statistics, "requests"), statistics);
        assertTrue(number(statistics, "threads_busy_max") <= 3, statistics);
    }

    private static void theEntityBeanFindsThePoliciesToo(ServerProcess server) throws Exception {
        List<String> answers = server.ask(server.deploy("repository=entity\ntimer.unit_ms=1\n"), 3, 1);
        assertTrue(answers.stream().allMatch(answer -> answer.startsWith("200 ")), answers::toString);
    }

    private static void aBeanThatWorksTooLongIsInterrupted(ServerProcess server) throws Exception {
        String ready = server.deploy("http.request_timeout_s=1\ntimer.unit_ms=600000\n");
        assertTrue(server.ask(ready, 1, 1).get(0).startsWith("500 "));
    }

    private static void aFailedDeploymentIsNotTheEnd(ServerProcess server) throws Exception {
        assertTrue(server.deploy("http.queue=0\n").startsWith("FAILED property http.queue is 0"));
        String answer = server.deploy("database.password=wrong\n");
        assertTrue(answer.startsWith("FAILED org.glassfish.embeddable.GlassFishException: "), answer);
        assertEquals("FAILED nothing is deployed", server.obey("statistics"));
        assertTrue(server.deploy("").startsWith("READY "));
    }

    private ServerProcess start(String settings) throws Exception {
        return new ServerProcess(Main.class, folder, OPENED, settings);
    }
}
