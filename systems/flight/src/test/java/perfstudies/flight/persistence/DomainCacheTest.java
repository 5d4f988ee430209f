package perfstudies.flight.persistence;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perfstudies.flight.TestDomain;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.FlightManager;

/** Which reads of a service the cache answers. */
class DomainCacheTest {

    private Persistence persistence;

    @AfterEach
    void close() {
        persistence.close();
    }

    @ParameterizedTest
    @EnumSource
    void probe(Database.Cache cache) throws Exception {
        open(cache);
        for (int i = 0; i < 3; i++) {
            search();
            System.out.println(cache + " search " + persistence.takeCounts());
        }
        for (int i = 0; i < 3; i++) {
            reserve();
            System.out.println(cache + " reserve " + persistence.takeCounts());
        }
        search();
        System.out.println(cache + " search " + persistence.takeCounts());
    }

    private void open(Database.Cache cache) {
        persistence = TestDomain.open(UUID.randomUUID().toString(), cache, 0);
        persistence.takeCounts();
    }

    private void search() {
        persistence.inTransaction(session -> root(session).searchFlights("Lisbon", "Faro"));
    }

    private void reserve() throws DomainException {
        persistence.inTransaction(session -> root(session).reserve("BA1", "Ana", "1"));
    }

    private static FlightManager root(org.hibernate.Session session) {
        return session.createQuery("from FlightManager", FlightManager.class).getSingleResult();
    }
}
