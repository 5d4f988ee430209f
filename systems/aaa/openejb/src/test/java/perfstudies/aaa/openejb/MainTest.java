package perfstudies.aaa.openejb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.aaa.launch.ServerProcess.number;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.launch.ServerProcess;

/** The program as a process, which every test tells to deploy anew. */
class MainTest {

    @TempDir
    static Path folder;

    private static ServerProcess server;

    @BeforeAll
    static void start() throws Exception {
        server = new ServerProcess(Main.class, folder, List.of("-Djdk.attach.allowAttachSelf=true"), "");
        assertTrue(server.ready().matches("READY http://127\\.0\\.0\\.1:\\d+/AAA/server"), server.ready());
    }

    @AfterAll
    static void end() throws Exception {
        try {
            assertEquals(0, server.end());
            assertEquals(0, server.filesLeft());
        } finally {
            server.close();
        }
    }

    @Test
    void noMoreBeansThanTheMaximumWorkAtOnce() throws Exception {
        List<String> answers = server.ask(deploy("http.threads=10\nejb.max=2\ntimer.unit_ms=100\n"), 10, 1);
        assertTrue(answers.stream().allMatch(answer -> answer.matches("(?s)200 \\d+\\.\\d{3} .*<Answer>yes</.*")),
                answers::toString);
        String statistics = server.obey("statistics");
        assertEquals(2, number(statistics, "beans_busy_max"), statistics);
        assertEquals(2, number(statistics, "beans_created"), statistics);
    }

    @Test
    void aCallDoesNotWaitLongerThanItsTimeForABean() throws Exception {
        List<String> answers = server.ask(
                deploy("http.threads=10\nejb.max=2\nejb.access_timeout_ms=10\ntimer.unit_ms=100\n"), 10, 20);
        List<String> refused = answers.stream().filter(answer -> !answer.startsWith("200 ")).toList();
        assertTrue(refused.stream().allMatch(answer -> answer.startsWith("500 ") && answer.contains("NoBean")),
                refused::toString);
        assertTrue(refused.size() > 0);
        assertEquals(refused.size(), number(server.obey("statistics"), "faults"));
    }

    @Test
    void withoutStrictnessFurtherBeansAreMade() throws Exception {
        server.ask(deploy("http.threads=10\nejb.max=2\nejb.strict=false\ntimer.unit_ms=100\n"), 10, 20);
        String statistics = server.obey("statistics");
        assertTrue(number(statistics, "beans_busy_max") > 2, statistics);
        assertEquals(2, number(statistics, "beans_alive"), statistics);
    }

    @Test
    void steadyBeansAreMadeBeforehand() throws Exception {
        deploy("ejb.steady=5\n");
        assertEquals(5, number(server.obey("statistics"), "beans_created"));
    }

    @Test
    void theQueueIsLimited() throws Exception {
        List<String> answers = server.ask(deploy("http.threads=2\nhttp.queue=3\ntimer.unit_ms=100\n"), 12, 20);
        List<String> refused = answers.stream().filter(answer -> !answer.startsWith("200 ")).toList();
        assertTrue(refused.stream().allMatch(answer -> answer.startsWith("0 ")), refused::toString);
        assertTrue(refused.size() > 0);
        String statistics = server.obey("statistics");
        assertEquals(12 - refused.size(), number(statistics, "requests"), statistics);
        assertTrue(number(statistics, "threads_busy_max") <= 2, statistics);
    }

    @Test
    void theEntityBeanFindsThePoliciesToo() throws Exception {
        List<String> answers = server.ask(
                deploy("repository=entity\ndatabase.connections=2\ntimer.unit_ms=1\n"), 20, 1);
        assertTrue(answers.stream().allMatch(answer -> answer.startsWith("200 ")), answers::toString);
    }

    @Test
    void anEntityBeanOfEjb21FindsThemAsWell() throws Exception {
        String ready = deploy("repository=entity-2.1\ndatabase.connections=2\ntimer.unit_ms=1\n");
        List<String> answers = server.ask(ready, 20, 1);
        assertTrue(answers.stream().allMatch(answer -> answer.startsWith("200 ")), answers::toString);
    }

    @Test
    void aBeanThatWorksTooLongIsInterrupted() throws Exception {
        String ready = deploy("http.request_timeout_s=1\ntimer.unit_ms=600000\n");
        assertTrue(server.ask(ready, 1, 1).get(0).startsWith("500 "));
    }

    @Test
    void aFailedDeploymentIsNotTheEnd() throws Exception {
        assertTrue(server.deploy("database.password=wrong\n").startsWith("FAILED "));
        assertEquals("FAILED nothing is deployed", server.obey("statistics"));
        deploy("");
        assertEquals("CLOSED", server.obey("close"));
        try (FileChannel file = FileChannel.open(folder.resolve("aaa.mv.db"), StandardOpenOption.WRITE)) {
            file.lock().release();
        }
    }

    private static String deploy(String settings) throws Exception {
        String ready = server.deploy(settings);
        assertTrue(ready.startsWith("READY "), ready);
        return ready;
    }
}
