package perfstudies.foreign;

import java.util.logging.Level;
import java.util.logging.Logger;
import perfstudies.foreign.axis.AxisStack;
import perfstudies.foreign.cxf.CxfStack;
import perfstudies.foreign.metro.MetroStack;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;

/** The program: one stack with all its endpoints. */
public final class Main implements Party {

    /** The logger above all others. Stacks report every fault that a test asks for. */
    private static final Logger LOG = Logger.getLogger("");

    private Stack stack;

    private Main() {
    }

    public static void main(String[] arguments) {
        Launcher.run("foreign-soap", arguments, Settings.required("stack"), new Main());
    }

    @Override
    public synchronized String start(Settings settings) throws Exception {
        LOG.setLevel(Level.OFF);
        stack = switch (settings.word("stack", "axis", "cxf", "metro")) {
            case "axis" -> new AxisStack();
            case "metro" -> new MetroStack();
            default -> new CxfStack();
        };
        return stack.start();
    }

    @Override
    public synchronized void stop() throws Exception {
        if (stack != null) {
            stack.stop();
        }
    }
}
