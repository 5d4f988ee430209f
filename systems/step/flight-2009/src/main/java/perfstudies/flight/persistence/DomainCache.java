package perfstudies.flight.persistence;

import java.util.Iterator;
import org.hibernate.cache.EhCacheProvider;
import org.hibernate.cfg.Configuration;
import org.hibernate.cfg.Environment;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.RootClass;

/** Hibernate's second-level cache: Ehcache's, on the heap, one for each type of object and each collection. */
final class DomainCache {

    /** Says how large each is, which Ehcache reads from a file alone. */
    private static final String SIZES = "/perfstudies/flight/persistence/ehcache.xml";

    private DomainCache() {
    }

    /** Says what is cached. */
    static void apply(Database.Cache cache, Configuration configuration) {
        boolean on = cache != Database.Cache.NONE;
        configuration.setProperty(Environment.USE_SECOND_LEVEL_CACHE, Boolean.toString(on));
        if (!on) {
            return;
        }
        configuration.setProperty(Environment.CACHE_PROVIDER, EhCacheProvider.class.getName());
        configuration.setProperty(Environment.CACHE_PROVIDER_CONFIG, SIZES);
        for (Iterator<?> types = configuration.getClassMappings(); types.hasNext();) {
            RootClass type = (RootClass) types.next();
            if (cache.keeps(type.getMappedClass())) {
                type.setCacheConcurrencyStrategy(cache.strategy());
            }
        }
        for (Iterator<?> collections = configuration.getCollectionMappings(); collections.hasNext();) {
            Collection collection = (Collection) collections.next();
            if (cache.keepsCollections()) {
                collection.setCacheConcurrencyStrategy(cache.strategy());
            }
        }
    }
}
