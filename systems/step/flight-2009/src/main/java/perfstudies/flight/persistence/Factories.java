package perfstudies.flight.persistence;

import java.util.List;
import org.hibernate.Query;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.AnnotationConfiguration;
import org.hibernate.cfg.Environment;
import org.hibernate.classic.Session;

/** Opens a database with Hibernate 3. */
final class Factories {

    /** What a wrapper wraps. A more special type comes before the more general ones that its objects also are. */
    static final List<Class<?>> ENGINE_TYPES =
            List.of(SessionFactory.class, Session.class, Transaction.class, Query.class);

    private Factories() {
    }

    /** Opens the database with the monitor's listeners. */
    static SessionFactory open(Database database, Database.Schema schema, Persistence.Monitoring monitoring,
            HibernateLayers layers) {
        Dialect dialect = Dialect.of(database.url());
        AnnotationConfiguration configuration = new AnnotationConfiguration();
        Database.TYPES.forEach(configuration::addAnnotatedClass);
        configuration.setProperty(Environment.DRIVER, dialect.driver())
                .setProperty(Environment.DIALECT, dialect.type())
                .setProperty(Environment.URL, database.url())
                .setProperty(Environment.USER, database.user())
                .setProperty(Environment.PASS, database.password())
                .setProperty(Environment.POOL_SIZE, Integer.toString(database.poolSize()))
                .setProperty(Environment.CURRENT_SESSION_CONTEXT_CLASS, "thread")
                .setProperty(Environment.GENERATE_STATISTICS, Boolean.toString(database.statistics()));
        if (schema == Database.Schema.CREATE) {
            configuration.setProperty(Environment.HBM2DDL_AUTO, "update");
        }
        configuration.buildMappings();
        DateTimes.apply(configuration);
        DomainCache.apply(database.cache(), configuration);
        if (monitoring.events()) {
            new HibernateEvents(layers).apply(configuration.getEventListeners());
        }
        if (monitoring.collections()) {
            new TimedCollections(layers).apply(configuration.getEventListeners());
        }
        return configuration.buildSessionFactory();
    }
}
