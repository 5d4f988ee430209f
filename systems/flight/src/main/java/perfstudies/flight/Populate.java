package perfstudies.flight;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import perfstudies.flight.data.DataException;
import perfstudies.flight.data.DomainData;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.logging.FunctionalLog;
import perfstudies.flight.logging.LogSettings;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.monitor.Monitor;

/** The command that makes a new database from CSV files. */
final class Populate {

    private Populate() {
    }

    /** Makes an H2 database of the program's own. */
    static void run(Path database, Path dataFolder) throws IOException, DataException, UsageException {
        Path file = Path.of(database + ".mv.db");
        if (Files.exists(file)) {
            throw new UsageException("option --database: " + file + " exists, and a new database is wanted");
        }
        run(H2.url(database), "sa", "", dataFolder);
    }

    /** Makes the tables in a database that somebody else made. */
    static void run(String url, String user, String password, Path dataFolder)
            throws IOException, DataException, UsageException {
        FunctionalLog.open(LogSettings.OFF);
        FlightManager manager = DomainData.read(dataFolder);
        Database target = new Database(url, user, password, 1);
        try (Persistence persistence = new Persistence(target, Database.Schema.CREATE, Monitor.OFF,
                Persistence.Monitoring.NONE)) {
            persistence.inTransaction(session -> {
                // Tables that were there are left as they are, so what they hold would get mixed with the new.
                if (session.createQuery("select count(*) from Airport", Long.class).getSingleResult() > 0) {
                    throw new UsageException("option --url: the database has data, and an empty one is wanted");
                }
                session.persist(manager);
                return null;
            });
        }
    }
}
