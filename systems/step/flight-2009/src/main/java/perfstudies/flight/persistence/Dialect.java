package perfstudies.flight.persistence;

import perfstudies.launch.UsageException;

/** Of the databases, by how their addresses begin: the class of the driver, and Hibernate's of their SQL. */
enum Dialect {

    H2("jdbc:h2:", "org.h2.Driver", "org.hibernate.dialect.H2Dialect"),
    MYSQL("jdbc:mysql:", "com.mysql.jdbc.Driver", "org.hibernate.dialect.MySQL5InnoDBDialect");

    private final String scheme;
    private final String driver;
    private final String type;

    Dialect(String scheme, String driver, String type) {
        this.scheme = scheme;
        this.driver = driver;
        this.type = type;
    }

    /** The one of a database, or a {@link UsageException}: drivers of the day know no other. */
    static Dialect of(String url) {
        for (Dialect one : values()) {
            if (url.startsWith(one.scheme)) {
                return one;
            }
        }
        throw new UsageException("database.url = " + url + ": must begin with jdbc:h2: or jdbc:mysql:");
    }

    /** The name of the driver's class. */
    String driver() {
        return driver;
    }

    /** The name of Hibernate's class. */
    String type() {
        return type;
    }
}
