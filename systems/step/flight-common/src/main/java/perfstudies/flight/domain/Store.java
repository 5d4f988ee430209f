package perfstudies.flight.domain;

import java.util.List;
import java.util.Map;

/** What the domain asks of the place where it is kept, whichever library that is. */
public interface Store {

    /** The objects of a type that a query finds, with values for its named parameters. */
    <T> List<T> find(String query, Class<T> type, Map<String, ?> parameters);

    /** Keeps a new object, and the new ones that it cascades to. */
    void persist(Object object);
}
