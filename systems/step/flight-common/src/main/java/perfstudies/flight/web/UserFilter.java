package perfstudies.flight.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import perfstudies.flight.logging.UserDetail;

/** Tells the functional log for whom a request is: the header From (RFC 9110, section 10.1.2) names the user. */
public final class UserFilter implements Filter {

    private static final String HEADER = "From";

    @Override
    public void init(FilterConfig config) {
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String user = ((HttpServletRequest) request).getHeader(HEADER);
        if (user == null) {
            chain.doFilter(request, response);
            return;
        }
        UserDetail.begin(user);
        try {
            chain.doFilter(request, response);
        } finally {
            UserDetail.end();
        }
    }

    @Override
    public void destroy() {
    }
}
