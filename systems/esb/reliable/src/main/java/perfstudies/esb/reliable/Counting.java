package perfstudies.esb.reliable;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeMap;

/** What a run's databases say when both sides have ended: whether a message was committed, and how often applied. */
final class Counting {

    private static final int COMMITTED = 0;
    private static final int APPLIED = 1;

    private Counting() {
    }

    static void write(Path folder) throws SQLException, IOException {
        TreeMap<Long, int[]> messages = new TreeMap<>();
        read(folder.resolve("client"), ClientStorage.TABLE, "SELECT number FROM sent", messages, COMMITTED);
        read(folder.resolve("server"), LedgerService.TABLE, "SELECT number FROM applied", messages, APPLIED);
        try (Writer out = Files.newBufferedWriter(folder.resolve("counted.csv"))) {
            out.write("number,committed,applied\n");
            for (var message : messages.entrySet()) {
                int[] counts = message.getValue();
                out.write(message.getKey() + "," + counts[COMMITTED] + "," + counts[APPLIED] + "\n");
            }
        }
    }

    private static void read(Path file, String create, String sql, TreeMap<Long, int[]> messages, int what)
            throws SQLException {
        try (Database database = new Database(file, create);
                Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                messages.computeIfAbsent(rows.getLong(1), number -> new int[2])[what]++;
            }
        }
    }
}
