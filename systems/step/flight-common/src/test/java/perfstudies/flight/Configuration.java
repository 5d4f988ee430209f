package perfstudies.flight;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A server's properties files: plain settings, and what a test sets instead of some of them. */
final class Configuration {

    private static final List<String> PLAIN = List.of("port=0", "database.url=jdbc:h2:mem:x", "database.user=sa",
            "database.password=", "connection.pool_size=1", "cache=none", "domain.root=true",
            "reservation.numbers=counted", "transaction.retries=0", "flush=auto", "statistics=false", "log.level=info",
            "log.level.service=", "log.level.hibernate=", "log.user=", "log.async=false", "log.console=false",
            "log.location=true", "monitor=none", "monitor.wrap=true", "monitor.collections=false");

    private Configuration() {
    }

    /** Writes a file, beside which the logs will be. */
    static Path write(Path file, String... instead) throws IOException {
        Stream<String> places = Stream.of("log.file=" + file.resolveSibling("functional.log"),
                "monitor.dir=" + file.resolveSibling("monitor"));
        return Files.write(file,
                Stream.of(PLAIN.stream(), places, Stream.of(instead)).flatMap(lines -> lines).toList());
    }
}
