package perfstudies.esb.camel;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.camel.main.SimpleMainShutdownStrategy;
import perfstudies.esb.security.Keyring;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;

/**
 * The engine. Its one command, {@code secure FROM TO}, writes the envelope of a file as a client of the secured proxy
 * would send it to another file; neither path may have blanks.
 */
final class Engine implements Party {

    private static final int STOP_S = 2;

    private LoopbackJetty jetty;
    private org.apache.camel.main.Main camel;
    private Keyring keyring;
    private boolean stopped;

    @Override
    public synchronized String start(Settings settings) throws Exception {
        if (stopped) {
            throw new IllegalStateException("stopped before it started");
        }
        String backend = backend(settings.text("backend"));
        boolean streaming = settings.flag("streaming");
        Threads threads = Threads.of(settings);
        keyring = new Keyring(folder(settings.text("work.dir")));
        jetty = new LoopbackJetty(settings.number("port", 0), threads);
        String address = jetty.address();

        camel = new org.apache.camel.main.Main();
        // The launcher stops it.
        camel.setShutdownStrategy(new SimpleMainShutdownStrategy());
        // It is told all by its properties file, and nothing by files or variables that happen to be around.
        camel.setDefaultPropertyPlaceholderLocation("false");
        camel.configure().withAutoConfigurationEnvironmentVariablesEnabled(false)
                .withAutoConfigurationSystemPropertiesEnabled(false)
                .withStreamCachingEnabled(!streaming)
                .withShutdownTimeout(STOP_S)
                .withShutdownLogInflightExchangesOnTimeout(false);
        camel.bind("jetty", jetty);
        camel.bind("http", BackEndClient.create());
        camel.bind(HonestBinding.NAME, new HonestBinding());
        camel.configure().addRoutesBuilder(new Proxies(address, backend, streaming, keyring));
        camel.start();
        return address;
    }

    @Override
    public String answer(String line) throws Exception {
        String[] words = line.split(" ");
        if (words.length != 3 || !words[0].equals("secure")) {
            return Party.super.answer(line);
        }
        Path to = Path.of(words[2]);
        Files.write(to, keyring.security().secure(Files.readAllBytes(Path.of(words[1]))));
        return "SECURED " + to;
    }

    @Override
    public synchronized void stop() throws IOException {
        stopped = true;
        if (camel != null) {
            camel.stop();
        }
        if (jetty != null) {
            jetty.close();
        }
    }

    private static String backend(String address) {
        try {
            URI uri = URI.create(address);
            if ("http".equals(uri.getScheme()) && uri.getHost() != null && uri.getQuery() == null
                    && uri.getFragment() == null) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // Said below, with what it may be.
        }
        throw new UsageException("backend = " + address + ": must be its address, http://HOST:PORT/PATH");
    }

    private static Path folder(String name) {
        Path folder = Path.of(name.isEmpty() ? System.getProperty("java.io.tmpdir") : name);
        if (!Files.isDirectory(folder)) {
            throw new UsageException("work.dir = " + name + ": must be a folder that is there");
        }
        return folder;
    }
}
