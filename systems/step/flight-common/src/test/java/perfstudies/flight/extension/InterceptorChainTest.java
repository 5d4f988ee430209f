package perfstudies.flight.extension;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterceptorChainTest {

    private final List<String> calls = new ArrayList<>();

    @Test
    void interceptorsNestLikeCalls() {
        String result = chain(new Noting("a"), new Noting("b")).run("x", () -> {
            calls.add("call");
            return "result";
        });

        assertEquals("result", result);
        assertEquals(List.of("a before x", "b before x", "call", "b after x", "a after x",
                "b finallyAfter x", "a finallyAfter x"), calls);
    }

    @Test
    void finallyAfterComesEvenAfterAnExceptionAndAfterDoesNot() {
        IOException thrown = assertThrows(IOException.class,
                () -> chain(new Noting("a"), new Noting("b")).run("x", () -> {
                    throw new IOException("disk");
                }));

        assertEquals("disk", thrown.getMessage());
        assertEquals(List.of("a before x", "b before x", "b finallyAfter x", "a finallyAfter x"), calls);
    }

    @Test
    void anInterceptorThatDidNotStartIsNotFinished() {
        Interceptor refusing = new Noting("b") {
            @Override
            public void before(String name) {
                throw new IllegalStateException("no");
            }
        };
        assertThrows(IllegalStateException.class,
                () -> chain(new Noting("a"), refusing, new Noting("c")).run("x", () -> calls.add("call")));

        assertEquals(List.of("a before x", "a finallyAfter x"), calls);
    }

    @Test
    void aFailingFinallyAfterKeepsNobodyElseFromTheirs() {
        IllegalStateException late = new IllegalStateException("late");
        Interceptor failing = new Noting("b") {
            @Override
            public void finallyAfter(String name) {
                throw late;
            }
        };
        InterceptorChain chain = chain(new Noting("a"), failing);

        assertSame(late, assertThrows(IllegalStateException.class, () -> chain.run("x", () -> 1)));
        IOException thrown = assertThrows(IOException.class, () -> chain.run("y", () -> {
            throw new IOException("disk");
        }));
        assertSame(late, thrown.getSuppressed()[0]);
        assertEquals("a finallyAfter y", calls.get(calls.size() - 1));
    }

    private static InterceptorChain chain(Interceptor... interceptors) {
        return new InterceptorChain(List.of(interceptors));
    }

    private class Noting implements Interceptor {

        private final String id;

        Noting(String id) {
            this.id = id;
        }

        @Override
        public void before(String name) {
            calls.add(id + " before " + name);
        }

        @Override
        public void after(String name) {
            calls.add(id + " after " + name);
        }

        @Override
        public void finallyAfter(String name) {
            calls.add(id + " finallyAfter " + name);
        }
    }
}
