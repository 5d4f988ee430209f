package perfstudies.flight.persistence;

import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.internal.DefaultInitializeCollectionEventListener;
import org.hibernate.event.internal.DefaultLoadEventListener;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.InitializeCollectionEventListener;
import org.hibernate.event.spi.LoadEventListener;
import org.hibernate.integrator.spi.Integrator;

/**
 * Counts as reads what the pairs of load events miss: the query behind a collection that the domain uses for the first
 * time, from its text to its last row, and the loading of a single object by its identity.
 */
final class TimedCollections implements Integrator {

    private final HibernateLayers layers;

    TimedCollections(HibernateLayers layers) {
        this.layers = layers;
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        EventListenerRegistry registry = factory.getEventListenerRegistry();
        InitializeCollectionEventListener initialize = new DefaultInitializeCollectionEventListener();
        LoadEventListener load = new DefaultLoadEventListener();
        registry.setListeners(EventType.INIT_COLLECTION, (InitializeCollectionEventListener) event ->
                timed(() -> initialize.onInitializeCollection(event)));
        registry.setListeners(EventType.LOAD, (LoadEventListener) (event, type) ->
                timed(() -> load.onLoad(event, type)));
    }

    /** A read that fails is ended where its exception is caught, like those between a pair of events. */
    private void timed(Runnable read) {
        layers.beginLoad();
        read.run();
        layers.endLoad();
    }
}
