package perfstudies.esb.reliable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.apache.cxf.Bus;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.transport.http_jetty.JettyHTTPServerEngineFactory;
import perfstudies.launch.Settings;

/** The server's side: the endpoint, what is behind it, and what it has applied. */
final class Server implements Side {

    private static final String STORED = "SELECT COUNT(*) FROM CXF_RM_INBOUND_MESSAGES";
    private static final String APPLIED = "SELECT COUNT(*) FROM applied";

    private final Delivery delivery;
    private final Database database;
    private final Bus bus;
    private final org.apache.cxf.endpoint.Server endpoint;
    private final int port;
    private final String address;

    Server(Settings settings) throws Exception {
        this(settings, "http://127.0.0.1:" + freePort() + "/ledger");
    }

    /** @param address where it is to answer */
    Server(Settings settings, String address) throws Exception {
        delivery = settings.choice("delivery", Delivery.values());
        database = new Database(Path.of(settings.text("work.dir"), "server"), LedgerService.TABLE);
        bus = Reliability.bus("esb-reliable-server", delivery, database, settings.number("again_ms", 1),
                settings.number("store.pause_ms", 0));
        this.address = address;
        port = URI.create(address).getPort();
        JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
        factory.setBus(bus);
        factory.setAddress(address);
        factory.setServiceClass(LedgerService.class);
        factory.setServiceBean(new LedgerService(database, delivery, new Halts(settings)));
        endpoint = factory.create();
    }

    /** CXF has to be told a port. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public String address() {
        return address;
    }

    /** Says how many messages have been applied, and how many are in the store and wait for that. */
    @Override
    public String answer(String line) throws Exception {
        if (!line.equals("count")) {
            return "UNKNOWN " + line;
        }
        try (Connection connection = database.getConnection()) {
            return "COUNT " + count(connection, APPLIED) + " " + (delivery.isStored() ? count(connection, STORED) : 0);
        }
    }

    private static long count(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws Exception {
        endpoint.stop();
        endpoint.destroy();
        bus.getExtension(JettyHTTPServerEngineFactory.class).destroyForPort(port);
        bus.shutdown(true);
        database.close();
    }
}
