package perfstudies.flight.persistence;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.UUID;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import perfstudies.flight.TestDomain;
import perfstudies.flight.domain.Airport;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.FlightManager;

/** Which reads the cache answers: those by identity and those of collections, but no query's. */
class DomainCacheTest {

    private Persistence persistence;

    @AfterEach
    void close() {
        persistence.close();
    }

    @Test
    void withoutACacheEverythingIsLoadedEveryTime() {
        open(Database.Cache.NONE);
        for (int i = 0; i < 2; i++) {
            search();
            // the root, four flights, two airports, one airplane
            assertCounts(0, 0, 0, 8, 1);
        }
    }

    @Test
    void whatIsNeverWrittenIsCachedAndNotLookedFor() {
        open(Database.Cache.READ_ONLY);
        for (int i = 0; i < 2; i++) {
            search();
            // Airports and airplane come with their flights, in the query that loads the collection.
            assertCounts(0, 0, 3, 8, 1);
        }
        // Only where an object is asked for by itself does the cache answer.
        persistence.inTransaction(session -> new SessionStore(session).get(Airport.class, 1L));
        assertCounts(1, 0, 0, 0, 0);
    }

    @Test
    void theFlightsAreReadFromTheCacheWithAllThatTheyNeed() {
        open(Database.Cache.READ_WRITE);
        search();
        assertCounts(0, 1, 9, 8, 1);
        search();
        // the root comes by a query; then the collection and its seven objects
        assertCounts(8, 0, 0, 1, 0);
    }

    @Test
    void withoutCollectionsTheFlightsAreLoadedThoughAllAreInTheCache() {
        open(Database.Cache.READ_WRITE_OBJECTS);
        search();
        assertCounts(0, 0, 8, 8, 1);
        search();
        // the query that loads the collection loads its objects with it
        assertCounts(0, 0, 0, 8, 1);
        persistence.inTransaction(session -> new SessionStore(session).get(Airport.class, 1L));
        assertCounts(1, 0, 0, 0, 0);
    }

    @Test
    void collectionsThatAReservationChangesAreLoadedAgain() throws DomainException {
        open(Database.Cache.READ_WRITE);
        search();
        for (int before = 0; before < 2; before++) {
            persistence.takeCounts();
            reserve();
            Map<String, Long> counts = persistence.takeCounts();
            assertEquals(8, counts.get("second_level_hits"), "all flights");
            assertEquals(2, counts.get("second_level_misses"), "the passengers and the flight's reservations");
            assertEquals(1 + 2 * before, counts.get("entities_loaded"));
        }
        int passengers = persistence.inTransaction(session -> root(session).getPassengers().size());
        assertEquals(2, passengers);
    }

    @Test
    void whatOneTransactionWritesTheNextReadsFromTheCache() throws DomainException {
        open(Database.Cache.READ_WRITE);
        for (int i = 1; i <= 3; i++) {
            assertEquals("BA1-" + i, persistence.inTransaction(session ->
                    root(session).reserve("BA1", "Ana", "1").getCode()));
        }
    }

    private void open(Database.Cache cache) {
        persistence = TestDomain.open(UUID.randomUUID().toString(), cache, 0);
        persistence.takeCounts();
    }

    private void assertCounts(long hits, long misses, long puts, long entities, long collections) {
        Map<String, Long> counts = persistence.takeCounts();
        assertEquals(Map.of("hits", hits, "misses", misses, "puts", puts, "entities", entities,
                "collections", collections), Map.of("hits", counts.get("second_level_hits"),
                "misses", counts.get("second_level_misses"), "puts", counts.get("second_level_puts"),
                "entities", counts.get("entities_loaded"), "collections", counts.get("collections_loaded")));
    }

    private void search() {
        persistence.inTransaction(session -> root(session).searchFlights("Lisbon", "Faro"));
    }

    private void reserve() throws DomainException {
        persistence.inTransaction(session -> root(session).reserve("BA1", "Ana", "1"));
    }

    private static FlightManager root(Session session) {
        return new SessionStore(session).only("from FlightManager", FlightManager.class);
    }
}
