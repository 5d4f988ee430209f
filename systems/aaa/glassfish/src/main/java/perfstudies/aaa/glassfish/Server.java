package perfstudies.aaa.glassfish;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.glassfish.embeddable.BootstrapProperties;
import org.glassfish.embeddable.CommandResult;
import org.glassfish.embeddable.Deployer;
import org.glassfish.embeddable.GlassFish;
import org.glassfish.embeddable.GlassFishException;
import org.glassfish.embeddable.GlassFishProperties;
import org.glassfish.embeddable.GlassFishRuntime;

/** An embedded GlassFish that runs, its commands, and errors where it has none. */
final class Server {

    private static final String CONFIGURATION = "configs.config.server-config.";

    /** There can be one in a process. */
    private static GlassFishRuntime runtime;

    private final GlassFish server;

    /** Starts a server that keeps its files in the folder and listens to no port. */
    Server(Path folder) throws GlassFishException {
        GlassFishProperties properties = new GlassFishProperties();
        properties.setProperty("glassfish.embedded.tmpdir", folder.toString());
        server = runtime().newGlassFish(properties);
        server.start();
    }

    private static synchronized GlassFishRuntime runtime() throws GlassFishException {
        if (runtime == null) {
            runtime = GlassFishRuntime.bootstrap(new BootstrapProperties(), Server.class.getClassLoader());
        }
        return runtime;
    }

    /** Sets values of the server's configuration, by their dotted names. */
    void set(Map<String, Object> values) throws GlassFishException {
        List<String> arguments = new ArrayList<>();
        values.forEach((name, value) -> arguments.add(CONFIGURATION + name + "=" + value));
        run("set", arguments.toArray(String[]::new));
    }

    /** Runs one of the administrator's commands. */
    void run(String command, String... arguments) throws GlassFishException {
        CommandResult result = server.getCommandRunner().run(command, arguments);
        if (result.getExitStatus() == CommandResult.ExitStatus.FAILURE) {
            throw new GlassFishException("GlassFish cannot " + command + ": " + result.getOutput(),
                    result.getFailureCause());
        }
    }

    /** Deploys an exploded web archive. */
    void deploy(Path application, String name, String contextPath) throws GlassFishException {
        Deployer deployer = server.getDeployer();
        if (deployer.deploy(application.toFile(), "--name=" + name, "--contextroot=" + contextPath) == null) {
            // It returns nothing and throws nothing.
            throw new GlassFishException("GlassFish did not deploy the application; standard error has the reason");
        }
    }

    /** Takes an application away, if it is there. */
    void undeploy(String name) throws GlassFishException {
        Deployer deployer = server.getDeployer();
        if (deployer.getDeployedApplications().contains(name)) {
            deployer.undeploy(name);
        }
    }

    /** Stops the server and removes its files. */
    void stop() throws GlassFishException {
        server.stop();
        server.dispose();
    }
}
