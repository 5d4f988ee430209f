package perfstudies.esb.synapse;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/** The files that Synapse reads, written for one start of it. */
record Configuration(Path folder) {

    /** Longer than the endpoint waits for an answer, so that the endpoint says what happened and not the socket. */
    private static final String SOCKET_TIMEOUT_MS = "180000";
    /**
     * What XSLT reads and writes is kept in memory up to a megabyte. By default it goes to a file from 8 KB on,
     * and many of these files are never removed.
     */
    private static final String CHUNK_BYTES = "8192";
    private static final String CHUNKS = "128";
    private static final int PORTS = 65_535;
    private static final Map<String, Transport> TRANSPORTS = Map.of(
            "passthru", Transport.PASSTHRU, "nhttp", Transport.NHTTP, "nhttp-relay", Transport.NHTTP_RELAY);

    /**
     * Writes the files.
     *
     * @throws UsageException if the settings make no sense
     */
    static Configuration write(Settings settings) throws IOException {
        int port = settings.number("port", 0);
        if (port > PORTS) {
            throw new UsageException("port = " + port + ": must be at most " + PORTS);
        }
        String backend = address(settings.text("backend"));
        Transport transport = TRANSPORTS.get(settings.word("transport", "passthru", "nhttp", "nhttp-relay"));
        boolean isTuned = settings.word("threads", "default", "tuned").equals("tuned");
        if (settings.text("work.dir").isEmpty()) {
            throw new UsageException("work.dir must name a folder for the engine's configuration");
        }
        Path folder = Path.of(settings.text("work.dir")).toAbsolutePath().resolve("synapse");
        Files.createDirectories(folder.resolve("repository"));
        Configuration configuration = new Configuration(folder);

        configuration.fill("axis2.xml", Map.of("port", Integer.toString(port), "receiver", transport.receiver(),
                "sender", transport.sender(), "getProcessor", transport.getProcessor(),
                "builders", transport.builders(), "formatter", transport.formatter()));
        configuration.fill("synapse.xml", Map.of("backend", backend));
        // Each transport's file is read with the other transport, too, and Synapse complains of one that is missing.
        for (Transport each : Transport.values()) {
            Map<String, String> tuning = new TreeMap<>(each.threads(isTuned));
            tuning.put("http.socket.timeout", SOCKET_TIMEOUT_MS);
            // A port that was in use a moment ago is free, as in the distribution.
            tuning.put("http.socket.reuseaddr", "true");
            configuration.properties(each.file(), tuning);
        }
        configuration.properties("synapse.properties", Map.of("synapse.temp_data.chunk.size", CHUNK_BYTES,
                "synapse.temp_data.chunk.threshold", CHUNKS));
        return configuration;
    }

    Path axis2() {
        return folder.resolve("axis2.xml");
    }

    Path synapse() {
        return folder.resolve("synapse.xml");
    }

    Path repository() {
        return folder.resolve("repository");
    }

    /** The address goes into a file of XML: it has no character that means something there. */
    private static String address(String backend) {
        try {
            URI uri = new URI(backend);
            if ("http".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0
                    && uri.getRawPath().matches("/[A-Za-z0-9._/-]+") && uri.getRawQuery() == null
                    && uri.getRawFragment() == null && uri.getRawUserInfo() == null) {
                return backend;
            }
        } catch (URISyntaxException e) {
            // Said below, with what it may be.
        }
        throw new UsageException("backend = " + backend + ": must be like http://127.0.0.1:8080/services/EchoService");
    }

    private void fill(String name, Map<String, String> values) throws IOException {
        String text;
        try (InputStream input = Configuration.class.getResourceAsStream(name)) {
            text = new String(input.readAllBytes(), StandardCharsets.UTF_8);
        }
        for (Map.Entry<String, String> value : values.entrySet()) {
            text = text.replace("${" + value.getKey() + "}", value.getValue());
        }
        Files.writeString(folder.resolve(name), text);
    }

    private void properties(String name, Map<String, String> values) throws IOException {
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        Files.writeString(folder.resolve(name), text);
    }
}
