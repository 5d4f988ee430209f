package perfstudies.flight.persistence;

import javax.cache.Cache;
import org.ehcache.config.CacheConfiguration;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.jsr107.Eh107Configuration;
import org.hibernate.boot.Metadata;
import org.hibernate.cache.jcache.internal.JCacheRegionFactory;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.RootClass;

/**
 * Hibernate's second-level cache: Ehcache's, on the heap, one for each type of object and each collection.
 *
 * <p>A cache made by default would copy every entry that goes in or out by serialisation, which says more about
 * serialisation than about caching; Hibernate never changes an entry, so they are kept as they are.
 */
final class DomainCache extends JCacheRegionFactory {

    private static final long serialVersionUID = 1L;

    /** More than any load has objects of one type: a cache that drops entries would measure its own size. */
    private static final long ENTRIES = 2_000_000;

    @Override
    protected Cache<Object, Object> createCache(String name) {
        CacheConfiguration<Object, Object> configuration = CacheConfigurationBuilder.newCacheConfigurationBuilder(
                Object.class, Object.class, ResourcePoolsBuilder.heap(ENTRIES)).build();
        return getCacheManager().createCache(name, Eh107Configuration.fromEhcacheCacheConfiguration(configuration));
    }

    /** Says what is cached. */
    static void apply(Database.Cache cache, Metadata metadata) {
        for (PersistentClass type : metadata.getEntityBindings()) {
            if (cache.keeps(type.getMappedClass())) {
                type.setCached(true);
                ((RootClass) type).setCacheConcurrencyStrategy(cache.strategy());
            }
        }
        if (cache.keepsCollections()) {
            for (Collection collection : metadata.getCollectionBindings()) {
                collection.setCacheConcurrencyStrategy(cache.strategy());
            }
        }
    }
}
