package perfstudies.orb.server;

import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;
import perfstudies.orb.RequestNumber;

/** Sees a request as soon as a dispatcher has it. */
final class DispatcherTimes extends LocalObject implements ServerRequestInterceptor {

    private static final long serialVersionUID = 1L;

    @Override
    public void receive_request_service_contexts(ServerRequestInfo request) {
        long timeNs = System.nanoTime();
        Dispatcher.begins(number(request), timeNs);
    }

    private static int number(ServerRequestInfo request) {
        try {
            return RequestNumber.of(request.get_request_service_context(RequestNumber.CONTEXT_ID));
        } catch (BAD_PARAM e) {
            return RequestNumber.NONE;
        }
    }

    @Override
    public void receive_request(ServerRequestInfo request) {
        // The servant notes its own time.
    }

    @Override
    public void send_reply(ServerRequestInfo request) {
        // The socket notes when the reply is really written.
    }

    @Override
    public void send_exception(ServerRequestInfo request) {
        // As above.
    }

    @Override
    public void send_other(ServerRequestInfo request) {
        // As above.
    }

    @Override
    public String name() {
        return DispatcherTimes.class.getName();
    }

    @Override
    public void destroy() {
        // It has nothing to give back.
    }
}
