package perfstudies.aaa.launch;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Settings;
import perfstudies.aaa.Statistics;
import perfstudies.aaa.UsageException;

/**
 * The deployments of this process, one at a time, in one container, which is started at the first. A deployment with
 * another work folder starts the container anew.
 */
final class Deployments {

    private static final String ENDPOINT_PATH = "/server";
    /** How long the end waits for a command that is under way, before it ends the process without asking the server. */
    private static final long PATIENCE_MS = 2_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Container container;
    private final Map<String, String> descriptors;
    private WorkFolder work;
    private Path workParent;
    private Path application;
    private Settings settings;
    private int count;

    /** Deployments in this container, with these further files in WEB-INF. */
    Deployments(Container container, Map<String, String> descriptors) {
        this.container = container;
        this.descriptors = descriptors;
    }

    /**
     * Closes the former deployment, if there is one, and makes another.
     *
     * @return the address that takes requests, which really answered one
     */
    String replace(Path configuration) throws Exception {
        lock.lock();
        try {
            close();
            return make(configuration);
        } finally {
            lock.unlock();
        }
    }

    private String make(Path configuration) throws Exception {
        Settings read = read(configuration);
        makeWorkFolder(Path.of(read.text("work.dir")).toAbsolutePath().normalize());
        // A new folder each time: whoever remembers files by their names would find those of the former deployment.
        count++;
        application = work.path().resolve("application-" + count);
        WebArchive.write(application, descriptors);
        System.setProperty(Deployment.CONFIG, configuration.toAbsolutePath().toString());
        settings = read;
        try {
            int port = container.deploy(read, application, work.path());
            String address = "http://" + read.text("address") + ":" + port + Container.CONTEXT_PATH + ENDPOINT_PATH;
            check(address);
            return address;
        } catch (Exception | Error e) {
            try {
                close();
            } catch (Exception suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Closes the deployment, if there is one. One that cannot be closed well is not tried again. */
    void close() throws Exception {
        lock.lock();
        try {
            Settings old = settings;
            settings = null;
            if (old != null) {
                takeDown(old);
            }
        } finally {
            lock.unlock();
        }
    }

    private void takeDown(Settings old) throws Exception {
        try {
            container.undeploy();
        } finally {
            H2.shutDown(old.text("database.url"), old.text("database.user"), old.text("database.password"));
            WorkFolder.delete(application);
        }
    }

    /** What the deployment counted since it was made or last asked, as a JSON object. */
    String statistics() throws UsageException {
        return Statistics.ask();
    }

    /** Closes the deployment, stops the container unless a command keeps it busy, and removes its files. */
    void end() throws Exception {
        try {
            if (lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                stop();
            }
        } finally {
            removeFiles();
        }
    }

    private void stop() throws Exception {
        try {
            close();
        } finally {
            container.close();
        }
    }

    /** Removes the container's files, whatever its state. */
    void removeFiles() throws IOException {
        WorkFolder old = work;
        if (old != null) {
            old.delete();
        }
    }

    private static Settings read(Path configuration) throws UsageException {
        Settings settings = Settings.read(configuration);
        if (settings.whole("http.queue") == 0) {
            throw new UsageException("property http.queue is 0, but every request passes through the queue, also if a"
                    + " thread is free; allowed: -1 for no limit, or 1 and more");
        }
        settings.required("work.dir");
        settings.required("database.url");
        return settings;
    }

    /** The container keeps files where it was started first, so another work folder needs another start. */
    private void makeWorkFolder(Path parent) throws Exception {
        if (parent.equals(workParent)) {
            return;
        }
        if (work != null) {
            container.close();
            work.delete();
        }
        workParent = parent;
        work = WorkFolder.make(parent);
        System.setProperty("java.io.tmpdir", work.path().toString());
    }

    private static void check(String address) throws IOException {
        URI contract = URI.create(address + "?wsdl");
        HttpURLConnection connection = (HttpURLConnection) contract.toURL().openConnection();
        int status = connection.getResponseCode();
        connection.disconnect();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException("the server answered " + status + " to GET " + contract
                    + "; standard error has the reason");
        }
    }
}
