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

    static void run(Path database, Path dataFolder) throws IOException, DataException, UsageException {
        FunctionalLog.open(LogSettings.OFF);
        Path file = Path.of(database + ".mv.db");
        if (Files.exists(file)) {
            throw new UsageException("option --database: " + file + " exists, and a new database is wanted");
        }
        FlightManager manager = DomainData.read(dataFolder);
        Database target = new Database(H2.url(database), "sa", "", 1);
        try (Persistence persistence = new Persistence(target, Database.Schema.CREATE, Monitor.OFF,
                Persistence.Monitoring.NONE)) {
            persistence.inTransaction(session -> {
                session.persist(manager);
                return null;
            });
        }
    }
}
