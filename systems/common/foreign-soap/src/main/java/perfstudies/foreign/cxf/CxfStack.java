package perfstudies.foreign.cxf;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.CallbackHandler;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.endpoint.Server;
import org.apache.cxf.interceptor.Interceptor;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.message.Message;
import org.apache.cxf.transport.http_jetty.JettyHTTPServerEngineFactory;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.WSS4JConstants;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import perfstudies.foreign.Shops;
import perfstudies.foreign.Stack;

/** All endpoints, and three more: name and password by HTTP, and by a user name token, in plain text or as a digest. */
public final class CxfStack implements Stack {

    private final List<Server> servers = new ArrayList<>();
    private Bus bus;
    private int port;

    @Override
    public String start() throws Exception {
        bus = BusFactory.newInstance().createBus();
        port = freePort();
        Shops.byPath().forEach(this::publish);
        publish("basic", new Shops.Wrapped(), new BasicInterceptor());
        publish("token-text", new Shops.Wrapped(), token(WSS4JConstants.PW_TEXT));
        publish("token-digest", new Shops.Wrapped(), token(WSS4JConstants.PW_DIGEST));
        return address();
    }

    private String address() {
        return "http://127.0.0.1:" + port;
    }

    @SafeVarargs
    private void publish(String path, Object shop, Interceptor<? extends Message>... guards) {
        JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
        factory.setBus(bus);
        factory.setAddress(address() + "/" + path);
        factory.setServiceBean(shop);
        for (Interceptor<? extends Message> guard : guards) {
            factory.getInInterceptors().add(guard);
        }
        servers.add(factory.create());
    }

    private static WSS4JInInterceptor token(String passwordType) {
        CallbackHandler passwords = callbacks -> {
            WSPasswordCallback asked = (WSPasswordCallback) callbacks[0];
            if (USER.equals(asked.getIdentifier())) {
                asked.setPassword(PASSWORD);
            }
        };
        return new WSS4JInInterceptor(Map.of(
                ConfigurationConstants.ACTION, ConfigurationConstants.USERNAME_TOKEN,
                ConfigurationConstants.PASSWORD_TYPE, passwordType,
                ConfigurationConstants.PW_CALLBACK_REF, passwords));
    }

    /** CXF has to be told a port. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void stop() {
        servers.forEach(Server::destroy);
        if (bus != null) {
            bus.getExtension(JettyHTTPServerEngineFactory.class).destroyForPort(port);
            bus.shutdown(true);
        }
    }
}
