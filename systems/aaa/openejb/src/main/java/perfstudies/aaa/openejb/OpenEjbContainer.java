package perfstudies.aaa.openejb;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import perfstudies.aaa.Settings;
import perfstudies.aaa.launch.Container;

/** OpenEJB and Tomcat, both started anew for every deployment, which takes less than a second. */
final class OpenEjbContainer implements Container {

    private static final String ENGINE = "RuleBasedEngine";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @Override
    public int deploy(Settings settings, Path application, Path folder) throws Exception {
        Path classes = application.resolve("WEB-INF").resolve("classes");
        ApplicationLoader loader = new ApplicationLoader(classes);
        opened.push(loader);
        Thread thread = Thread.currentThread();
        ClassLoader former = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            Beans beans = new Beans(settings, folder, classes, loader);
            opened.push(beans);
            WebServer server = new WebServer(settings, folder, loader, beans.lookup(ENGINE));
            opened.push(server);
            return server.start();
        } finally {
            thread.setContextClassLoader(former);
        }
    }

    @Override
    public void undeploy() throws Exception {
        Exception failure = new Exception("the server was not closed well");
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    @Override
    public void close() throws Exception {
        undeploy();
    }
}
