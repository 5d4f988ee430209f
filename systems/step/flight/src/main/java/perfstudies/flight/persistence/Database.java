package perfstudies.flight.persistence;

import java.util.List;
import java.util.Locale;
import org.hibernate.SessionFactory;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cache.jcache.ConfigSettings;
import org.hibernate.cache.jcache.MissingCacheStrategy;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.integrator.spi.Integrator;
import perfstudies.flight.domain.Airplane;
import perfstudies.flight.domain.Airport;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.domain.FlightReservation;
import perfstudies.flight.domain.Passenger;

/**
 * Where the domain is kept, and with which of Hibernate's options: its own connection pool, a session bound to the
 * thread, and no second-level cache unless one is wanted.
 */
public record Database(String url, String user, String password, int poolSize, Cache cache, boolean statistics) {

    public Database(String url, String user, String password, int poolSize) {
        this(url, user, password, poolSize, Cache.NONE, false);
    }

    /** Which objects a second-level cache keeps between transactions. */
    public enum Cache {
        /** None. */
        NONE,
        /** Those that are never written. */
        READ_ONLY,
        /** All, and what is in their collections. */
        READ_WRITE;

        /** Hibernate's name of it, which is also the setting's. */
        public String strategy() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** What happens to the tables on opening. */
    public enum Schema {
        /** They are there. */
        EXISTS("none"),
        /** They are made anew. */
        CREATE("create");

        private final String action;

        Schema(String action) {
            this.action = action;
        }
    }

    /** Opens the database with listeners of the caller's. */
    public SessionFactory open(Schema schema, List<Integrator> listeners) {
        var bootstrap = new BootstrapServiceRegistryBuilder();
        listeners.forEach(bootstrap::applyIntegrator);
        var registry = new StandardServiceRegistryBuilder(bootstrap.build())
                .applySetting(AvailableSettings.JAKARTA_JDBC_URL, url)
                .applySetting(AvailableSettings.JAKARTA_JDBC_USER, user)
                .applySetting(AvailableSettings.JAKARTA_JDBC_PASSWORD, password)
                .applySetting(AvailableSettings.POOL_SIZE, poolSize)
                .applySetting(AvailableSettings.CURRENT_SESSION_CONTEXT_CLASS, "thread")
                .applySetting(AvailableSettings.USE_SECOND_LEVEL_CACHE, cache != Cache.NONE)
                .applySetting(AvailableSettings.CACHE_REGION_FACTORY, new DomainCache())
                .applySetting(ConfigSettings.MISSING_CACHE_STRATEGY,
                        MissingCacheStrategy.CREATE.getExternalRepresentation())
                .applySetting(AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION, schema.action)
                .applySetting(AvailableSettings.GENERATE_STATISTICS, statistics)
                .build();
        try {
            return build(registry);
        } catch (RuntimeException | Error e) {
            // It holds the connection pool, whose thread would live on.
            StandardServiceRegistryBuilder.destroy(registry);
            throw e;
        }
    }

    private SessionFactory build(StandardServiceRegistry registry) {
        Metadata metadata = new MetadataSources(registry)
                .addAnnotatedClasses(Airport.class, Airplane.class, Flight.class, FlightReservation.class,
                        Passenger.class, FlightManager.class)
                .buildMetadata();
        DomainCache.apply(cache, metadata);
        return metadata.buildSessionFactory();
    }
}
