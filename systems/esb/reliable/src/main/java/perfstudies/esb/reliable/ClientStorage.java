package perfstudies.esb.reliable;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The client's own table: the messages that it has decided to send, and whether it knows of an answer. */
final class ClientStorage {

    static final String TABLE =
            "CREATE TABLE IF NOT EXISTS sent (number BIGINT PRIMARY KEY, answered BOOLEAN DEFAULT FALSE NOT NULL)";

    private ClientStorage() {
    }

    static void insert(Connection connection, long number) throws SQLException {
        update(connection, "INSERT INTO sent (number) VALUES (?)", number);
    }

    static void answered(Connection connection, long number) throws SQLException {
        update(connection, "UPDATE sent SET answered = TRUE WHERE number = ?", number);
    }

    /** Returns the greatest number, 0 if there is none. */
    static long last(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COALESCE(MAX(number), 0) FROM sent")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    static List<Long> unanswered(Connection connection) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT number FROM sent WHERE NOT answered ORDER BY number")) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }

    private static void update(Connection connection, String sql, long number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, number);
            statement.executeUpdate();
        }
    }
}
