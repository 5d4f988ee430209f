package perfstudies.flight;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/** Addresses of H2 databases. */
final class H2 {

    private static final String SCHEME = "jdbc:h2:";
    private static final String CLOSE_ON_EXIT = ";DB_CLOSE_ON_EXIT=";
    private static final String CLOSE_DELAY = ";DB_CLOSE_DELAY=";

    private H2() {
    }

    /**
     * Leaves closing to the program: H2's own way would close the database when the process is told to end, under the
     * requests that are still being answered.
     */
    static String closedByProgram(String url) {
        boolean asIs = !url.startsWith(SCHEME) || url.toUpperCase().contains(CLOSE_ON_EXIT);
        return asIs ? url : url + CLOSE_ON_EXIT + "FALSE";
    }

    /** Closes a database that would stay open without connections, and so keep its file locked and its threads. */
    static void shutDown(String url, String user, String password) throws SQLException {
        if (!url.startsWith(SCHEME) || !url.toUpperCase(Locale.ROOT).contains(CLOSE_DELAY)) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }
}
