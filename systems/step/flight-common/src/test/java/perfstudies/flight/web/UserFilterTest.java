package perfstudies.flight.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.log4j.MDC;
import org.junit.jupiter.api.Test;

class UserFilterTest {

    private final List<Object> users = new ArrayList<>();
    private final FilterChain service = (request, response) -> users.add(MDC.get("user"));

    @Test
    void theUserIsKnownDuringTheRequestAndForgottenAfterIt() throws Exception {
        new UserFilter().doFilter(requestFrom("ana@example.org"), null, service);
        new UserFilter().doFilter(requestFrom(null), null, service);

        assertEquals(Arrays.asList("ana@example.org", null), users);
    }

    @Test
    void aRequestThatFailsIsForgottenToo() {
        assertThrows(ServletException.class, () -> new UserFilter().doFilter(requestFrom("ana"), null,
                (request, response) -> {
                    throw new ServletException();
                }));

        assertNull(MDC.get("user"));
    }

    /** All that the filter asks of a request is one header. */
    private static HttpServletRequest requestFrom(String user) {
        return (HttpServletRequest) Proxy.newProxyInstance(HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> "From".equals(arguments[0]) ? user : null);
    }
}
