package perfstudies.flight.extension;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import perfstudies.monitor.Monitor;

/**
 * The interceptors of the two layers, made from a properties file.
 *
 * <pre>
 * service.interceptors = package.First, package.Second
 * webservice.interceptors =
 * </pre>
 *
 * A class is made by its public constructor that takes the {@link Monitor}, or else by the one without parameters.
 */
public record Extensions(InterceptorChain service, InterceptorChain webService) {

    private static final String SERVICE = "service.interceptors";
    private static final String WEB_SERVICE = "webservice.interceptors";

    /** Reads one of the files beside this class. */
    public static Extensions readBuiltIn(String name, Monitor monitor) throws IOException, ExtensionException {
        try (InputStream stream = Extensions.class.getResourceAsStream(name)) {
            return read(new InputStreamReader(stream, StandardCharsets.UTF_8), monitor);
        }
    }

    static Extensions read(Reader reader, Monitor monitor) throws IOException, ExtensionException {
        Properties properties = new Properties();
        properties.load(reader);
        for (String key : properties.stringPropertyNames()) {
            if (!Set.of(SERVICE, WEB_SERVICE).contains(key)) {
                throw new ExtensionException("unknown key " + key + ", allowed: " + SERVICE + ", " + WEB_SERVICE);
            }
        }
        return new Extensions(chain(properties.getProperty(SERVICE, ""), monitor),
                chain(properties.getProperty(WEB_SERVICE, ""), monitor));
    }

    private static InterceptorChain chain(String classNames, Monitor monitor) throws ExtensionException {
        List<Interceptor> interceptors = new ArrayList<>();
        for (String className : classNames.split(",")) {
            if (!className.isBlank()) {
                interceptors.add(create(className.strip(), monitor));
            }
        }
        return new InterceptorChain(interceptors);
    }

    private static Interceptor create(String className, Monitor monitor) throws ExtensionException {
        try {
            Class<? extends Interceptor> type = Class.forName(className).asSubclass(Interceptor.class);
            try {
                return type.getConstructor(Monitor.class).newInstance(monitor);
            } catch (NoSuchMethodException e) {
                return type.getConstructor().newInstance();
            }
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new ExtensionException("cannot make interceptor " + className + ": " + e, e);
        }
    }
}
