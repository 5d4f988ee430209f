package perfstudies.aaa.openejb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import javax.naming.Context;
import javax.naming.NamingException;
import org.apache.openejb.AppContext;
import org.apache.openejb.BeanContext;
import org.apache.openejb.OpenEJB;
import org.apache.openejb.OpenEJBException;
import org.apache.openejb.assembler.classic.AppInfo;
import org.apache.openejb.assembler.classic.Assembler;
import org.apache.openejb.config.ConfigurationFactory;
import org.apache.openejb.config.DeploymentLoader;
import org.apache.openejb.loader.SystemInstance;
import perfstudies.aaa.Settings;
import perfstudies.aaa.launch.Container;

/**
 * OpenEJB with the beans of one deployment. There can be one in a process at a time.
 *
 * <p>Each class of beans has a pool of its own of the size {@code ejb.max}. If it is strict, no more beans than
 * that work at once; a call that finds none free waits for {@code ejb.access_timeout_ms} and then fails with
 * {@link jakarta.ejb.ConcurrentAccessTimeoutException}, which the application answers as the fault NoBean. If it
 * is not, further beans are made for one call each. {@code ejb.steady} beans are made at the start, and the others
 * go when idle for {@code ejb.idle_s}; there is nothing like {@code ejb.resize}, because beans are made one by
 * one.
 *
 * <p>{@code database.connections} and {@code database.idle_s} (0 stands for no timeout) take effect; a request
 * that finds no connection waits up to a minute. Entity beans have one connection more, of a second pool that
 * OpenEJB makes by itself for what EclipseLink does without a transaction.
 */
final class Beans implements AutoCloseable {

    private static final String NAME = "aaa";
    private static final String POOL = "beans";
    private static final String DATABASE = Container.DATA_SOURCE;
    private static final int DATABASE_WAIT_MS = 60_000;

    private final AppContext application;

    /** Starts OpenEJB in the folder, with the settings' pools, and makes the beans. */
    Beans(Settings settings, Path folder, Path classes, ClassLoader loader)
            throws OpenEJBException, IOException, NamingException {
        OpenEJB.init(properties(settings, folder));
        DeploymentLoader.reloadAltDD();  // it remembers the first deployment's
        try {
            AppInfo information = new ConfigurationFactory()
                    .configureApplication(loader, NAME, List.of(classes.toFile()));
            application = SystemInstance.get().getComponent(Assembler.class).createApplication(information, loader);
        } catch (OpenEJBException | IOException | NamingException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** The bean's local business interface. */
    Object lookup(String bean) throws NamingException {
        for (BeanContext context : application.getBeanContexts()) {
            if (context.getEjbName().equals(bean)) {
                Context names = context.getModuleContext().getModuleJndiContext();
                return names.lookup("module/" + bean);
            }
        }
        throw new NamingException("there is no bean " + bean);
    }

    @Override
    public void close() {
        OpenEJB.destroy();
        SystemInstance.reset();
    }

    private static Properties properties(Settings settings, Path folder) {
        Properties properties = new Properties();
        properties.setProperty("openejb.deployments.classpath", "false");
        properties.setProperty("openejb.home", folder.toString());
        properties.setProperty("openejb.base", folder.toString());
        properties.setProperty("openejb.log.factory", "jul");
        properties.setProperty("openejb.default.jndi.logging", "false");
        boolean ejb21 = settings.text("repository").equals("entity-2.1");
        properties.setProperty("jakarta.persistence.provider", "org.eclipse.persistence.jpa.PersistenceProvider");
        // What the archive's descriptors begin with, of which those without an entity bean of EJB 2.1 have none.
        properties.setProperty("openejb.altdd.prefix", ejb21 ? "ejb21" : "annotated");

        properties.setProperty(POOL, "new://Container?type=STATELESS");
        properties.setProperty(POOL + ".MaxSize", settings.text("ejb.max"));
        properties.setProperty(POOL + ".MinSize", settings.text("ejb.steady"));
        properties.setProperty(POOL + ".StrictPooling", settings.text("ejb.strict"));
        properties.setProperty(POOL + ".AccessTimeout", settings.text("ejb.access_timeout_ms") + " milliseconds");
        int idle = settings.whole("ejb.idle_s");
        properties.setProperty(POOL + ".IdleTimeout", idle + " seconds");
        // How often it looks for idle beans; by itself every five minutes.
        properties.setProperty(POOL + ".SweepInterval", Math.max(1, idle / 2) + " seconds");

        String url = settings.text("database.url");
        properties.setProperty(DATABASE, "new://Resource?type=DataSource");
        properties.setProperty(DATABASE + ".JtaManaged", "true");
        properties.setProperty(DATABASE + ".JdbcDriver",
                url.startsWith("jdbc:h2:") ? "org.h2.Driver" : "org.mariadb.jdbc.Driver");
        properties.setProperty(DATABASE + ".JdbcUrl", url);
        properties.setProperty(DATABASE + ".UserName", settings.text("database.user"));
        properties.setProperty(DATABASE + ".Password", settings.text("database.password"));
        properties.setProperty(DATABASE + ".MaxTotal", settings.text("database.connections"));
        properties.setProperty(DATABASE + ".MaxIdle", settings.text("database.connections"));
        properties.setProperty(DATABASE + ".MinIdle", "0");
        properties.setProperty(DATABASE + ".MaxWaitTime", DATABASE_WAIT_MS + " milliseconds");
        int databaseIdle = settings.whole("database.idle_s");
        if (databaseIdle > 0) {
            properties.setProperty(DATABASE + ".MinEvictableIdleTime", databaseIdle + " seconds");
            properties.setProperty(DATABASE + ".TimeBetweenEvictionRuns",
                    Math.max(1, databaseIdle / 2) + " seconds");
            properties.setProperty(DATABASE + ".NumTestsPerEvictionRun", settings.text("database.connections"));
        }
        return properties;
    }
}
