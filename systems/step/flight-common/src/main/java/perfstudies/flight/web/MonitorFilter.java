package perfstudies.flight.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import perfstudies.monitor.Monitor;

/**
 * The monitor's outermost interception point: a request's record opens and ends here. Only POST is a request to the
 * service; clients also GET the contract, which is no part of what is measured.
 */
public final class MonitorFilter implements Filter {

    private static final String TAG = "filter";

    private final Monitor monitor;

    public MonitorFilter(Monitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public void init(FilterConfig config) {
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!"POST".equals(((HttpServletRequest) request).getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        // The order of requests over all threads, which a file a thread would lose.
        String arrivedNs = Long.toString(System.nanoTime());
        monitor.enter(TAG);
        monitor.context(TAG, "arrived_ns", arrivedNs);
        try {
            chain.doFilter(request, response);
            // Sends what the container still buffers, so that writing the response is part of the request's time.
            response.flushBuffer();
        } finally {
            monitor.exit(TAG);
        }
    }

    @Override
    public void destroy() {
    }
}
