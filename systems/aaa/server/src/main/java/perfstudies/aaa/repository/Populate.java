package perfstudies.aaa.repository;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables and the policies that the lab's requests are about. H2 and MariaDB both understand the statements. */
public final class Populate {

    /** Malformed01 is broken on purpose. */
    private static final List<String> WRITTEN = List.of("SNBpolicy01", "BoDpolicy01", "Pull01", "Roaming01",
            "Ticket01", "Malformed01");
    private static final List<Integer> CONDITIONS = List.of(1, 10, 100, 1000);
    private static final String VERSION = "0.1";

    private Populate() {
    }

    /**
     * Makes the tables and fills in the policies, if they are not there: all in one transaction, so that whoever is
     * killed meanwhile leaves no repository with some of them, which the next one would take for filled.
     */
    static void run(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS POLICY (TYPE VARCHAR(64) NOT NULL PRIMARY KEY, "
                    + "VERSION VARCHAR(64) NOT NULL, DOCUMENT LONGTEXT NOT NULL)");
            statement.execute("CREATE TABLE IF NOT EXISTS SESSION (ID VARCHAR(36) NOT NULL PRIMARY KEY, "
                    + "NAME VARCHAR(128) NOT NULL, TYPE VARCHAR(64) NOT NULL, ANSWER VARCHAR(8) NOT NULL, "
                    + "ENDED_US BIGINT NOT NULL)");
            try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM POLICY")) {
                rows.next();
                if (rows.getInt(1) > 0) {
                    return;
                }
            }
        }
        connection.setAutoCommit(false);
        try {
            fill(connection);
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static void fill(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO POLICY (TYPE, VERSION, DOCUMENT) VALUES (?, ?, ?)")) {
            for (Map.Entry<String, String> policy : policies().entrySet()) {
                insert.setString(1, policy.getKey());
                insert.setString(2, VERSION);
                insert.setString(3, policy.getValue());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Every policy's document by its type. */
    public static Map<String, String> policies() {
        Map<String, String> policies = new LinkedHashMap<>();
        WRITTEN.forEach(type -> policies.put(type, written(type)));
        CONDITIONS.forEach(number -> policies.put("Conditions" + number, conditions(number)));
        return policies;
    }

    private static String written(String type) {
        try (InputStream document = Populate.class.getResourceAsStream("policies/" + type + ".xml")) {
            return new String(document.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A policy whose conditions all hold for a timer from 1, so that all of them are evaluated. */
    private static String conditions(int number) {
        StringBuilder document = new StringBuilder("<Policy xmlns=\"http://www.AAA.org/ns/AAA_Policy\" "
                + "type=\"Conditions" + number + "\" version=\"" + VERSION + "\">\n  <Conditions>\n");
        for (int i = 0; i < number; i++) {
            document.append("    <Compare argument=\"TimerCondition\" is=\"at-most\" value=\"")
                    .append(1_000_000 + i).append("\"/>\n");
        }
        return document.append("  </Conditions>\n  <Actions>\n    <Call module=\"timer\">")
                .append("<Parameter name=\"units\" from=\"TimerCondition\"/></Call>\n  </Actions>\n</Policy>\n")
                .toString();
    }
}
