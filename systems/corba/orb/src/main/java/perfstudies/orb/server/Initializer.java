package perfstudies.orb.server;

import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/** Adds the server's interceptor to a broker. */
public final class Initializer extends LocalObject implements ORBInitializer {

    private static final long serialVersionUID = 1L;

    @Override
    public void pre_init(ORBInitInfo info) {
        // Nothing to do so early.
    }

    @Override
    public void post_init(ORBInitInfo info) {
        try {
            info.add_server_request_interceptor(new DispatcherTimes());
        } catch (DuplicateName e) {
            throw new INITIALIZE(e.toString());
        }
    }
}
