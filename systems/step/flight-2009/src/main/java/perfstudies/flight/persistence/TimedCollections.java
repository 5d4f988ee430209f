package perfstudies.flight.persistence;

import org.hibernate.engine.EntityKey;
import org.hibernate.event.EventListeners;
import org.hibernate.event.InitializeCollectionEvent;
import org.hibernate.event.InitializeCollectionEventListener;
import org.hibernate.event.LoadEvent;
import org.hibernate.event.LoadEventListener;
import org.hibernate.event.def.DefaultInitializeCollectionEventListener;
import org.hibernate.event.def.DefaultLoadEventListener;
import org.hibernate.persister.entity.EntityPersister;

/**
 * Counts as reads what the pairs of load events miss: the query behind a collection that the domain uses for the first
 * time, from its text to its last row, and the loading of a single object by its identity.
 */
final class TimedCollections {

    private final HibernateLayers layers;

    TimedCollections(HibernateLayers layers) {
        this.layers = layers;
    }

    void apply(EventListeners listeners) {
        listeners.setInitializeCollectionEventListeners(new InitializeCollectionEventListener[] {new TimedQuery()});
        listeners.setLoadEventListeners(new LoadEventListener[] {new TimedLoad()});
    }

    private final class TimedQuery extends DefaultInitializeCollectionEventListener {

        private static final long serialVersionUID = 1L;

        /** A read that fails is ended where its exception is caught, like those between a pair of events. */
        @Override
        public void onInitializeCollection(InitializeCollectionEvent event) {
            layers.beginLoad();
            super.onInitializeCollection(event);
            layers.endLoad();
        }
    }

    /** Hibernate 3 fires an event for every object that another refers to; only one that it has to fetch is a read. */
    private final class TimedLoad extends DefaultLoadEventListener {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object loadFromDatasource(LoadEvent event, EntityPersister persister, EntityKey key, LoadType options) {
            layers.beginLoad();
            Object loaded = super.loadFromDatasource(event, persister, key, options);
            layers.endLoad();
            return loaded;
        }
    }
}
