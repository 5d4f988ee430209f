package perfstudies.flight;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import perfstudies.flight.data.DataException;
import perfstudies.flight.data.DomainData;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.logging.LogSettings;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.persistence.SessionStore;
import perfstudies.launch.Launcher;
import perfstudies.launch.Party;
import perfstudies.launch.Settings;
import perfstudies.launch.UsageException;
import perfstudies.monitor.Monitor;

/** The program that makes the tables of an empty database and fills them from CSV files; ready means done. */
public final class Populate implements Party {

    private static final Map<String, String> PROPERTIES =
            Settings.required("database.url", "database.user", "database.password", "data");

    private Populate() {
    }

    public static void main(String[] arguments) {
        FunctionalLog.connectLibraries();
        Launcher.run("flight populate", arguments, PROPERTIES, new Populate());
    }

    @Override
    public String start(Settings settings) throws IOException {
        String url = settings.text("database.url");
        run(new Database(url, settings.text("database.user"), settings.text("database.password"), 1),
                Path.of(settings.text("data")));
        return url;
    }

    /** Does nothing: a database that is half populated is of no use. */
    @Override
    public void stop() {
    }

    static void run(Database target, Path dataFolder) throws IOException {
        FunctionalLog.open(LogSettings.OFF);
        FlightManager manager = read(dataFolder);
        try (Persistence persistence = new Persistence(target, Database.Schema.CREATE, Monitor.OFF,
                Persistence.Monitoring.NONE)) {
            persistence.inTransaction(session -> {
                // Tables that were there are left as they are, so what they hold would get mixed with the new.
                if (new SessionStore(session).only("select count(*) from Airport", Long.class) > 0) {
                    throw new UsageException("database.url: the database has data, and an empty one is wanted");
                }
                session.persist(manager);
                return null;
            });
        }
    }

    private static FlightManager read(Path dataFolder) throws IOException {
        try {
            return DomainData.read(dataFolder);
        } catch (DataException e) {
            throw new UsageException(e.getMessage());
        }
    }
}
