package perfstudies.orb.client;

import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import perfstudies.orb.RequestNumber;

/** Gives each request the number that its thread has set. */
final class NumberSender extends LocalObject implements ClientRequestInterceptor {

    private static final long serialVersionUID = 1L;

    private static final ThreadLocal<Integer> NUMBER = ThreadLocal.withInitial(() -> RequestNumber.NONE);

    /** The requests of this thread have this number from now on. */
    static void set(int number) {
        NUMBER.set(number);
    }

    @Override
    public void send_request(ClientRequestInfo request) {
        request.add_request_service_context(RequestNumber.context(NUMBER.get()), true);
    }

    @Override
    public void send_poll(ClientRequestInfo request) {
        // Nobody polls.
    }

    @Override
    public void receive_reply(ClientRequestInfo request) {
        // Who sent it notes when it ended.
    }

    @Override
    public void receive_exception(ClientRequestInfo request) {
        // As above.
    }

    @Override
    public void receive_other(ClientRequestInfo request) {
        // As above.
    }

    @Override
    public String name() {
        return NumberSender.class.getName();
    }

    @Override
    public void destroy() {
        // It has nothing to give back.
    }
}
