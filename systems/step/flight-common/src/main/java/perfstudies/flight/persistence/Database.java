package perfstudies.flight.persistence;

import java.util.List;
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

    /** The types of objects that are kept. */
    static final List<Class<?>> TYPES = List.of(Airport.class, Airplane.class, Flight.class, FlightReservation.class,
            Passenger.class, FlightManager.class);

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
        READ_WRITE,
        /** All, but not what is in their collections: that is read from the database each time. */
        READ_WRITE_OBJECTS;

        /** Whether objects of a type are kept. */
        boolean keeps(Class<?> type) {
            boolean neverWritten = type == Airport.class || type == Airplane.class;
            return this == READ_WRITE || this == READ_WRITE_OBJECTS || this == READ_ONLY && neverWritten;
        }

        /** Whether it keeps what is in collections. */
        boolean keepsCollections() {
            return this == READ_WRITE;
        }

        /** Hibernate's name of how it meets changes. */
        public String strategy() {
            return this == READ_ONLY ? "read-only" : "read-write";
        }
    }

    /** What happens to the tables on opening. */
    public enum Schema {
        /** They are there. */
        EXISTS,
        /** They are made anew. */
        CREATE
    }
}
