package perfstudies.flight.persistence;

import org.hibernate.event.EventListeners;
import org.hibernate.event.PostDeleteEvent;
import org.hibernate.event.PostDeleteEventListener;
import org.hibernate.event.PostInsertEvent;
import org.hibernate.event.PostInsertEventListener;
import org.hibernate.event.PostLoadEvent;
import org.hibernate.event.PostLoadEventListener;
import org.hibernate.event.PostUpdateEvent;
import org.hibernate.event.PostUpdateEventListener;
import org.hibernate.event.PreDeleteEvent;
import org.hibernate.event.PreDeleteEventListener;
import org.hibernate.event.PreInsertEvent;
import org.hibernate.event.PreInsertEventListener;
import org.hibernate.event.PreLoadEvent;
import org.hibernate.event.PreLoadEventListener;
import org.hibernate.event.PreUpdateEvent;
import org.hibernate.event.PreUpdateEventListener;
import org.hibernate.event.def.DefaultPostLoadEventListener;

/**
 * Turns Hibernate's pairs of events round each object that it loads and stores into enters and exits.
 *
 * <p>In Hibernate 3 both events of a load are fired as the object is filled, after the rows of its query were read:
 * loads do not nest, and reading the rows is no part of them.
 */
final class HibernateEvents implements PreLoadEventListener, PostLoadEventListener, PreInsertEventListener,
        PostInsertEventListener, PreUpdateEventListener, PostUpdateEventListener, PreDeleteEventListener,
        PostDeleteEventListener {

    private static final long serialVersionUID = 1L;

    private final transient HibernateLayers layers;

    HibernateEvents(HibernateLayers layers) {
        this.layers = layers;
    }

    /** Listens before and after all others. */
    void apply(EventListeners listeners) {
        listeners.setPreLoadEventListeners(new PreLoadEventListener[] {this});
        listeners.setPostLoadEventListeners(new PostLoadEventListener[] {new DefaultPostLoadEventListener(), this});
        listeners.setPreInsertEventListeners(new PreInsertEventListener[] {this});
        listeners.setPostInsertEventListeners(new PostInsertEventListener[] {this});
        listeners.setPreUpdateEventListeners(new PreUpdateEventListener[] {this});
        listeners.setPostUpdateEventListeners(new PostUpdateEventListener[] {this});
        listeners.setPreDeleteEventListeners(new PreDeleteEventListener[] {this});
        listeners.setPostDeleteEventListeners(new PostDeleteEventListener[] {this});
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

    /** Listeners of these events answer whether they veto the write. */
    private boolean beginWrite() {
        layers.beginWrite();
        return false;
    }
}
