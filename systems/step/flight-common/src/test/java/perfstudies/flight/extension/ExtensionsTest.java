package perfstudies.flight.extension;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import perfstudies.monitor.Monitor;

class ExtensionsTest {

    private static final List<String> CALLS = new ArrayList<>();

    @BeforeEach
    void forgetCalls() {
        CALLS.clear();
    }

    /** An extension as a user writes one. */
    public static class First implements Interceptor {
        @Override
        public void before(String name) {
            CALLS.add("first " + name);
        }
    }

    /** An extension that wants the monitor. */
    public static class Second implements Interceptor {
        public Second(Monitor monitor) {
            CALLS.add("made with " + (monitor == Monitor.OFF ? "off" : "on"));
        }

        @Override
        public void before(String name) {
            CALLS.add("second " + name);
        }
    }

    @Test
    void listsAreInTheOrderOfTheFile() throws Exception {
        Extensions extensions = read("service.interceptors = " + First.class.getName() + ", " + Second.class.getName()
                + "\nwebservice.interceptors = " + First.class.getName() + "\n");
        extensions.service().run("s", () -> 1);
        extensions.webService().run("w", () -> 1);

        assertEquals(List.of("made with off", "first s", "second s", "first w"), CALLS);
    }

    @Test
    void builtInFilesCanBeRead() throws Exception {
        Extensions.readBuiltIn("extensions.properties", Monitor.OFF);
        Extensions.readBuiltIn("extensions-monitor.properties", Monitor.OFF);
    }

    @Test
    void refusesWhatItCannotFollow() {
        assertTrue(refusal("services = x").contains("services, allowed: service.interceptors"));
        assertTrue(refusal("service.interceptors = no.such.Class").contains("no.such.Class"));
        assertTrue(refusal("service.interceptors = java.lang.String").contains("java.lang.String"));
    }

    private String refusal(String text) {
        return assertThrows(ExtensionException.class, () -> read(text)).getMessage();
    }

    private Extensions read(String text) throws IOException, ExtensionException {
        return Extensions.read(new StringReader(text), Monitor.OFF);
    }
}
