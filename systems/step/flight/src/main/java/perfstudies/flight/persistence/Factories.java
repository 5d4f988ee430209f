package perfstudies.flight.persistence;

import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cache.jcache.ConfigSettings;
import org.hibernate.cache.jcache.MissingCacheStrategy;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.query.MutationQuery;
import org.hibernate.query.Query;
import org.hibernate.query.SelectionQuery;

/** Opens a database with Hibernate 7. */
final class Factories {

    /** What a wrapper wraps. A more special type comes before the more general ones that its objects also are. */
    static final List<Class<?>> ENGINE_TYPES = List.of(SessionFactory.class, Session.class, Transaction.class,
            Query.class, SelectionQuery.class, MutationQuery.class);

    private Factories() {
    }

    /** Opens the database with the monitor's listeners. */
    static SessionFactory open(Database database, Database.Schema schema, Persistence.Monitoring monitoring,
            HibernateLayers layers) {
        var bootstrap = new BootstrapServiceRegistryBuilder();
        listeners(monitoring, layers).forEach(bootstrap::applyIntegrator);
        var registry = new StandardServiceRegistryBuilder(bootstrap.build())
                .applySetting(AvailableSettings.JAKARTA_JDBC_URL, database.url())
                .applySetting(AvailableSettings.JAKARTA_JDBC_USER, database.user())
                .applySetting(AvailableSettings.JAKARTA_JDBC_PASSWORD, database.password())
                .applySetting(AvailableSettings.POOL_SIZE, database.poolSize())
                .applySetting(AvailableSettings.CURRENT_SESSION_CONTEXT_CLASS, "thread")
                .applySetting(AvailableSettings.USE_SECOND_LEVEL_CACHE, database.cache() != Database.Cache.NONE)
                .applySetting(AvailableSettings.CACHE_REGION_FACTORY, new DomainCache())
                .applySetting(ConfigSettings.MISSING_CACHE_STRATEGY,
                        MissingCacheStrategy.CREATE.getExternalRepresentation())
                .applySetting(AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION,
                        schema == Database.Schema.CREATE ? "create" : "none")
                .applySetting(AvailableSettings.GENERATE_STATISTICS, database.statistics())
                .build();
        try {
            Metadata metadata = new MetadataSources(registry)
                    .addAnnotatedClasses(Database.TYPES.toArray(Class<?>[]::new)).buildMetadata();
            DomainCache.apply(database.cache(), metadata);
            return metadata.buildSessionFactory();
        } catch (RuntimeException | Error e) {
            // It holds the connection pool, whose thread would live on.
            StandardServiceRegistryBuilder.destroy(registry);
            throw e;
        }
    }

    private static List<Integrator> listeners(Persistence.Monitoring monitoring, HibernateLayers layers) {
        List<Integrator> listeners = new ArrayList<>();
        if (monitoring.events()) {
            listeners.add(new HibernateEvents(layers));
        }
        if (monitoring.collections()) {
            listeners.add(new TimedCollections(layers));
        }
        return listeners;
    }
}
