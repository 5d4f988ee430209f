package perfstudies.flight.persistence;

import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PostDeleteEvent;
import org.hibernate.event.spi.PostDeleteEventListener;
import org.hibernate.event.spi.PostInsertEvent;
import org.hibernate.event.spi.PostInsertEventListener;
import org.hibernate.event.spi.PostLoadEvent;
import org.hibernate.event.spi.PostLoadEventListener;
import org.hibernate.event.spi.PostUpdateEvent;
import org.hibernate.event.spi.PostUpdateEventListener;
import org.hibernate.event.spi.PreDeleteEvent;
import org.hibernate.event.spi.PreDeleteEventListener;
import org.hibernate.event.spi.PreInsertEvent;
import org.hibernate.event.spi.PreInsertEventListener;
import org.hibernate.event.spi.PreLoadEvent;
import org.hibernate.event.spi.PreLoadEventListener;
import org.hibernate.event.spi.PreUpdateEvent;
import org.hibernate.event.spi.PreUpdateEventListener;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.persister.entity.EntityPersister;

/**
 * Turns Hibernate's pairs of events round each object that it loads and stores into enters and exits.
 *
 * <p>Pairs do not mean the same in every version. Hibernate 3 fired both events of a load round one object. Hibernate 7
 * fires the first as it comes to an object in the rows of a query, and the second ones of all objects together after
 * the last row, so loads nest as deep as a query finds objects and their time is that of reading the rows.
 */
final class HibernateEvents implements Integrator, PreLoadEventListener, PostLoadEventListener,
        PreInsertEventListener, PostInsertEventListener, PreUpdateEventListener, PostUpdateEventListener,
        PreDeleteEventListener, PostDeleteEventListener {

    private static final long serialVersionUID = 1L;

    private final transient HibernateLayers layers;

    HibernateEvents(HibernateLayers layers) {
        this.layers = layers;
    }

    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        EventListenerRegistry registry = factory.getEventListenerRegistry();
        registry.prependListeners(EventType.PRE_LOAD, this);
        registry.appendListeners(EventType.POST_LOAD, this);
        registry.prependListeners(EventType.PRE_INSERT, this);
        registry.appendListeners(EventType.POST_INSERT, this);
        registry.prependListeners(EventType.PRE_UPDATE, this);
        registry.appendListeners(EventType.POST_UPDATE, this);
        registry.prependListeners(EventType.PRE_DELETE, this);
        registry.appendListeners(EventType.POST_DELETE, this);
    }

    @Override
    public void onPreLoad(PreLoadEvent event) {
        layers.beginLoad();
    }

    @Override
    public void onPostLoad(PostLoadEvent event) {
        layers.endLoad();
    }

    @Override
    public boolean onPreInsert(PreInsertEvent event) {
        return beginWrite();
    }

    @Override
    public void onPostInsert(PostInsertEvent event) {
        layers.endWrite();
    }

    @Override
    public boolean onPreUpdate(PreUpdateEvent event) {
        return beginWrite();
    }

    @Override
    public void onPostUpdate(PostUpdateEvent event) {
        layers.endWrite();
    }

    @Override
    public boolean onPreDelete(PreDeleteEvent event) {
        return beginWrite();
    }

    @Override
    public void onPostDelete(PostDeleteEvent event) {
        layers.endWrite();
    }

    @Override
    public boolean requiresPostCommitHandling(EntityPersister persister) {
        return false;
    }

    /** Listeners of these events answer whether they veto the write. */
    private boolean beginWrite() {
        layers.beginWrite();
        return false;
    }
}
