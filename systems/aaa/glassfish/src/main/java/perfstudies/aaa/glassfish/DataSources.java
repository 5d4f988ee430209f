package perfstudies.aaa.glassfish;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.glassfish.embeddable.GlassFishException;
import perfstudies.aaa.Settings;
import perfstudies.aaa.launch.Container;

/**
 * The database's connection pool in GlassFish.
 *
 * <p>The maximum and the idle timeout take effect; a request that finds the pool empty waits up to a minute for a
 * connection. No connections are kept steadily, so that the idle timeout is for all of them; 0 stands for no timeout.
 */
final class DataSources {

    private static final String POOL = "aaa-database";
    private static final int WAIT_MS = 60_000;

    private DataSources() {
    }

    static void create(Server server, Settings settings, Path folder) throws GlassFishException, IOException {
        Path file = folder.resolve("resources.xml");
        try (OutputStream output = Files.newOutputStream(file)) {
            write(output, settings);
        } catch (XMLStreamException e) {
            throw new IOException(e);
        }
        server.run("add-resources", file.toString());
    }

    static void delete(Server server) throws GlassFishException {
        server.run("delete-jdbc-connection-pool", "--cascade=true", POOL);
    }

    private static void write(OutputStream output, Settings settings) throws XMLStreamException {
        String url = settings.text("database.url");
        boolean h2 = url.startsWith("jdbc:h2:");
        XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(output, "UTF-8");
        xml.writeStartDocument("UTF-8", "1.0");
        xml.writeDTD("<!DOCTYPE resources PUBLIC \"-//GlassFish.org//DTD GlassFish Application Server 3.1 Resource"
                + " Definitions//EN\" \"http://glassfish.org/dtds/glassfish-resources_1_5.dtd\">");
        xml.writeStartElement("resources");
        Map<String, Object> pool = new LinkedHashMap<>();
        pool.put("name", POOL);
        pool.put("res-type", "javax.sql.DataSource");
        pool.put("datasource-classname", h2 ? "org.h2.jdbcx.JdbcDataSource" : "org.mariadb.jdbc.MariaDbDataSource");
        pool.put("steady-pool-size", 0);
        pool.put("max-pool-size", settings.whole("database.connections"));
        pool.put("pool-resize-quantity", settings.whole("database.connections"));
        pool.put("idle-timeout-in-seconds", settings.whole("database.idle_s"));
        pool.put("max-wait-time-in-millis", WAIT_MS);
        start(xml, "jdbc-connection-pool", pool);
        property(xml, "URL", url);
        property(xml, "User", settings.text("database.user"));
        property(xml, "Password", settings.text("database.password"));
        xml.writeEndElement();
        start(xml, "jdbc-resource", Map.of("jndi-name", Container.DATA_SOURCE, "pool-name", POOL));
        xml.writeEndElement();
        xml.writeEndElement();
        xml.writeEndDocument();
        xml.close();
    }

    private static void property(XMLStreamWriter xml, String name, String value) throws XMLStreamException {
        start(xml, "property", Map.of("name", name, "value", value));
        xml.writeEndElement();
    }

    private static void start(XMLStreamWriter xml, String element, Map<String, ?> attributes)
            throws XMLStreamException {
        xml.writeStartElement(element);
        for (Map.Entry<String, ?> attribute : attributes.entrySet()) {
            xml.writeAttribute(attribute.getKey(), attribute.getValue().toString());
        }
    }
}
