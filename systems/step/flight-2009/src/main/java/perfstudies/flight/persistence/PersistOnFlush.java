package perfstudies.flight.persistence;

import org.hibernate.engine.CascadingAction;
import org.hibernate.event.AutoFlushEventListener;
import org.hibernate.event.EventListeners;
import org.hibernate.event.FlushEventListener;
import org.hibernate.event.def.DefaultAutoFlushEventListener;
import org.hibernate.event.def.DefaultFlushEventListener;
import org.hibernate.util.IdentityMap;

/**
 * Lets a flush find new objects as it does behind Java's own persistence interface, and in later versions of Hibernate
 * everywhere: a new reservation stores its new passenger first.
 *
 * <p>Hibernate 3's own way stores the reservation without its passenger, then the passenger, and then the reservation
 * once more, which would be another load on the database in one generation than in the other.
 */
final class PersistOnFlush {

    private PersistOnFlush() {
    }

    static void apply(EventListeners listeners) {
        listeners.setFlushEventListeners(new FlushEventListener[] {new Flush()});
        listeners.setAutoFlushEventListeners(new AutoFlushEventListener[] {new AutoFlush()});
    }

    private static final class Flush extends DefaultFlushEventListener {

        private static final long serialVersionUID = 1L;

        @Override
        protected CascadingAction getCascadingAction() {
            return CascadingAction.PERSIST_ON_FLUSH;
        }

        @Override
        protected Object getAnything() {
            return IdentityMap.instantiate(10);
        }
    }

    private static final class AutoFlush extends DefaultAutoFlushEventListener {

        private static final long serialVersionUID = 1L;

        @Override
        protected CascadingAction getCascadingAction() {
            return CascadingAction.PERSIST_ON_FLUSH;
        }

        @Override
        protected Object getAnything() {
            return IdentityMap.instantiate(10);
        }
    }
}
