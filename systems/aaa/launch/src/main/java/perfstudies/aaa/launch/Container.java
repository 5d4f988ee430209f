package perfstudies.aaa.launch;

import java.nio.file.Path;
import perfstudies.aaa.Settings;

/** An application server in this process, with one application at a time. */
public interface Container {

    /** Where the application is in the server. */
    String CONTEXT_PATH = "/AAA";

    /** The name of the database's connection pool, as the application asks for it. */
    String DATA_SOURCE = "jdbc/aaa";

    /**
     * Sets the server's pools, deploys the application and opens the port.
     *
     * @param application the exploded web archive
     * @param folder where the server may keep files; one and the same for all calls
     * @return the port
     */
    int deploy(Settings settings, Path application, Path folder) throws Exception;

    /**
     * Closes the port, cuts the connections that are open, and takes the application away. Does what it can, also after
     * a deployment that failed halfway or if there is none.
     */
    void undeploy() throws Exception;

    /** Stops the server, if it runs. */
    void close() throws Exception;
}
