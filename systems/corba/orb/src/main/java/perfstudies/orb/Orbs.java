package perfstudies.orb;

import java.util.Map;
import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.PortableInterceptor.ORBInitializer;

/** Makes JacORB's brokers. */
public final class Orbs {

    private Orbs() {
    }

    /**
     * A broker with interceptors of its own.
     *
     * @param initializer what adds the interceptors
     * @param more further properties of JacORB
     */
    public static ORB init(Class<? extends ORBInitializer> initializer, Map<String, String> more) {
        Properties properties = new Properties();
        properties.setProperty("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.setProperty("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        properties.setProperty("org.omg.PortableInterceptor.ORBInitializerClass." + initializer.getName(),
                initializer.getName());
        properties.setProperty("jacorb.orb.print_version", "off");
        // Brokers of one process would pass requests on without a socket.
        properties.setProperty("jacorb.iiop.enable_loopback", "off");
        more.forEach(properties::setProperty);
        // The singleton is made before any broker has read its properties.
        System.setProperty("org.omg.CORBA.ORBSingletonClass", properties.getProperty(
                "org.omg.CORBA.ORBSingletonClass"));
        return ORB.init(new String[0], properties);
    }
}
