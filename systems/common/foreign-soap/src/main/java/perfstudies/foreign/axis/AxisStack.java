package perfstudies.foreign.axis;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.axis.configuration.FileProvider;
import org.apache.axis.transport.http.SimpleAxisServer;
import perfstudies.foreign.Stack;

/** The counter in the styles rpc/encoded, rpc/literal and document/literal wrapped. */
public final class AxisStack implements Stack {

    private static final String DEPLOYMENT = "counter.wsdd";
    private static final int WAITING = 200;

    private SimpleAxisServer server;

    @Override
    public String start() throws Exception {
        ServerSocket socket = new ServerSocket(0, WAITING, InetAddress.getByName("127.0.0.1"));
        server = new SimpleAxisServer();
        server.setServerSocket(socket);
        try (InputStream deployment = AxisStack.class.getResourceAsStream(DEPLOYMENT)) {
            server.setMyConfig(new FileProvider(deployment));
            // It reads the configuration now; later the stream is closed.
            server.getAxisServer();
        }
        server.start(true);
        return "http://127.0.0.1:" + socket.getLocalPort() + "/axis/services";
    }

    @Override
    public void stop() {
        if (server != null) {
            server.stop();
        }
    }
}
