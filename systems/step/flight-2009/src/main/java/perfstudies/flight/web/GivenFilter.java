package perfstudies.flight.web;

import java.io.IOException;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;

/** A filter that was made before: containers of the day make filters of a class by themselves, and take none made. */
public final class GivenFilter implements Filter {

    private Filter filter;

    /** Where a web application keeps the filter of a name. */
    static String attribute(String name) {
        return GivenFilter.class.getName() + "." + name;
    }

    @Override
    public void init(FilterConfig config) {
        filter = (Filter) config.getServletContext().getAttribute(attribute(config.getFilterName()));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        filter.doFilter(request, response, chain);
    }

    @Override
    public void destroy() {
    }
}
