package perfstudies.foreign.cxf;

import java.net.HttpURLConnection;
import org.apache.cxf.configuration.security.AuthorizationPolicy;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import perfstudies.foreign.Stack;

/** Lets in who says the right name and password by HTTP; the description may be read by everybody. */
final class BasicInterceptor extends AbstractPhaseInterceptor<Message> {

    BasicInterceptor() {
        super(Phase.PRE_INVOKE);
    }

    @Override
    public void handleMessage(Message message) {
        AuthorizationPolicy said = message.get(AuthorizationPolicy.class);
        if (said == null || !Stack.USER.equals(said.getUserName()) || !Stack.PASSWORD.equals(said.getPassword())) {
            Fault fault = new Fault(new SecurityException("name and password are not right"));
            fault.setStatusCode(HttpURLConnection.HTTP_UNAUTHORIZED);
            throw fault;
        }
    }
}
