package perfstudies.esb.synapse;

import java.util.Map;
import perfstudies.launch.Launcher;

/**
 * The program. Its properties are its port (0: any that is free), the address of the back end's service, the transport
 * (see {@link Transport}), whether the transport's threads are the default ones or tuned, and the folder for the
 * configuration that it writes itself.
 *
 * <p>One line is a command: {@code secure FILE_IN FILE_OUT} writes the SOAP envelope of one file into another as a
 * client of SecureProxy has to send it. No file name may have a space.
 */
public final class Main {

    static final Map<String, String> DEFAULTS = Map.of("port", "0", "backend", "", "transport", "passthru",
            "threads", "default", "work.dir", "");

    private Main() {
    }

    public static void main(String[] arguments) {
        Launcher.run("esb-synapse", arguments, DEFAULTS, new SynapseEngine());
    }
}
