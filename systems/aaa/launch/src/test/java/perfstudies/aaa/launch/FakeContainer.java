package perfstudies.aaa.launch;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import perfstudies.aaa.Settings;
import perfstudies.launch.Launcher;

/** Answers every request with the status {@code ejb.max}; with {@code ejb.steady} above 0 it never gets ready. */
final class FakeContainer implements Container {

    final List<String> calls = new ArrayList<>();
    private HttpServer server;

    /** The program around it. */
    public static void main(String[] arguments) {
        Launcher.run("fake", arguments, new Commands(new FakeContainer(), Map.of()));
    }

    @Override
    public int deploy(Settings settings, Path application, Path folder) throws IOException, InterruptedException {
        calls.add("deploy " + application.getFileName());
        Files.writeString(folder.resolve("server"), "");
        System.out.println("not for the lab");
        if (settings.whole("ejb.steady") > 0) {
            Thread.sleep(Long.MAX_VALUE);
        }
        server = HttpServer.create(new InetSocketAddress(settings.text("address"), settings.whole("port")), 0);
        server.createContext("/AAA/server", exchange -> {
            exchange.sendResponseHeaders(settings.whole("ejb.max"), -1);
            exchange.close();
        });
        server.start();
        return server.getAddress().getPort();
    }

    @Override
    public void undeploy() {
        calls.add("undeploy");
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }

    @Override
    public void close() {
        calls.add("close");
        undeploy();
    }
}
