package perfstudies.aaa.launch;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/** Closing of H2 databases. */
final class H2 {

    private static final String SCHEME = "jdbc:h2:";
    private static final String MEMORY = SCHEME + "mem:";

    private H2() {
    }

    /** Closes a database file that would stay open without connections, and so keep its lock and its threads. */
    static void shutDown(String url, String user, String password) throws SQLException {
        if (!url.startsWith(SCHEME) || url.startsWith(MEMORY)
                || !url.toUpperCase(Locale.ROOT).contains(";DB_CLOSE_DELAY=")) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }
}
