package perfstudies.esb.reliable;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * One side's database, a file of H2 in its own process, and the transactions of that side.
 *
 * <p>It is a data source as well: inside a transaction it gives its thread that transaction's connection, so that what
 * only knows a data source, as CXF's store does, takes part without knowing it. Everywhere else it gives connections
 * that are their taker's own.
 */
final class Database implements DataSource, AutoCloseable {

    /** What is done in a transaction. */
    interface Work {
        void in(Connection connection) throws SQLException;
    }

    private final String url;
    private final JdbcConnectionPool pool;
    private final ThreadLocal<Joined> current = new ThreadLocal<>();

    /** A thread's transaction: its connection, and how it must not end. */
    private static final class Joined {
        private final Connection connection;
        private boolean broken;
        private boolean committed;

        Joined(Connection connection) {
            this.connection = connection;
        }
    }

    /** @param create statements that make its tables; a table that is there stays as it is */
    Database(Path file, String... create) throws SQLException {
        url = url(file);
        pool = JdbcConnectionPool.create(url, "sa", "");
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            for (String sql : create) {
                statement.execute(sql);
            }
        }
    }

    /** What is committed is in the file: H2 otherwise writes up to half a second later, which a kill would undo. */
    private static String url(Path file) {
        return "jdbc:h2:file:" + file.toAbsolutePath() + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=10000";
    }

    String url() {
        return url;
    }

    /**
     * Does something in a transaction.
     *
     * @throws SQLException if it cannot be committed, or one that joined it has failed; nothing is done then
     */
    void transaction(Work work) throws SQLException {
        if (current.get() != null) {
            throw new IllegalStateException("a transaction is open on this thread");
        }
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            Joined joined = new Joined(connection);
            current.set(joined);
            try {
                work.in(connection);
                commit();
            } finally {
                current.remove();
                if (!joined.committed) {
                    connection.rollback();
                }
            }
        }
    }

    /** Commits this thread's transaction, if that has not been done. Whatever comes after belongs to none. */
    void commit() throws SQLException {
        Joined joined = current.get();
        if (joined == null || joined.committed) {
            return;
        }
        if (joined.broken) {
            throw new SQLException("one that joined the transaction has failed");
        }
        joined.connection.commit();
        joined.committed = true;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Joined joined = current.get();
        if (joined == null || joined.committed) {
            Connection own = pool.getConnection();
            own.setAutoCommit(false);
            return own;
        }
        InvocationHandler handler = (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "commit", "close", "setAutoCommit":
                    return null;
                case "rollback":
                    joined.broken = true;
                    return null;
                default:
                    try {
                        return method.invoke(joined.connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
            }
        };
        return (Connection) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
    }

    @Override
    public void close() throws SQLException {
        try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN");
        } finally {
            pool.dispose();
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("there is one user");
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // H2 writes its own log.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() {
        return pool.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("it has no logger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("it wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
