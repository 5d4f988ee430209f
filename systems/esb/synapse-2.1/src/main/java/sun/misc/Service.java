package sun.misc;

import java.util.Iterator;
import java.util.ServiceLoader;

/**
 * Stands in for the JDK's own class of this name, by which Synapse 2.1 finds its extensions and which Java 9 took away.
 * The process has to start without the module {@code jdk.unsupported}, whose package this is otherwise.
 */
public final class Service {

    private Service() {
    }

    public static <S> Iterator<S> providers(Class<S> service) {
        return ServiceLoader.load(service).iterator();
    }

    public static <S> Iterator<S> providers(Class<S> service, ClassLoader loader) {
        return ServiceLoader.load(service, loader).iterator();
    }
}
