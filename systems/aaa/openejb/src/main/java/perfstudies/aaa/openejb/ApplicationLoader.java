package perfstudies.aaa.openejb;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Enumeration;

/** The class loader of one deployment: the application's classes are its own, although the launcher has some too. */
final class ApplicationLoader extends URLClassLoader {

    private static final String OWN = "perfstudies.aaa.";

    ApplicationLoader(Path classes) throws MalformedURLException {
        super("application", new URL[] {classes.toUri().toURL()}, ApplicationLoader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                loaded = findClass(name);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        // The launcher's own copy of the application is no second persistence unit.
        return findResource(name) == null ? super.getResources(name) : findResources(name);
    }
}
