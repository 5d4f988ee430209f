package perfstudies.flight.persistence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import perfstudies.flight.Expected;
import perfstudies.flight.TestDomain;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.FlightManager;
import perfstudies.monitor.Monitor;

class PersistenceTest {

    private final Counting monitor = new Counting();
    private Persistence persistence;

    @AfterEach
    void close() {
        persistence.close();
    }

    @Test
    void commitsWhatReturnedAndRollsBackWhatThrew() throws DomainException {
        open(false, false, false);
        reserve("BA1");
        assertThrows(IOException.class, () -> persistence.inTransaction(session -> {
            root(session).reserve("BA1", "Rui", "2");
            session.flush();
            throw new IOException("late");
        }));

        assertEquals(1, passengers());
    }

    @Test
    void ofTwoTransactionsThatReserveAtTheSameTimeOneFails() throws Exception {
        open(true, true, false);
        RuntimeException failure = assertThrows(RuntimeException.class, this::overlap);

        Expected.assertStale(failure);
        assertEquals(1, passengers(), "the other one's");
    }

    @Test
    void aFailedTransactionLeavesNoSessionToTheNext() throws DomainException {
        open(false, false, false);
        AtomicReference<FlightManager> seen = new AtomicReference<>();
        assertThrows(IllegalStateException.class, () -> persistence.inTransaction(session -> {
            seen.set(root(session));
            throw new IllegalStateException();
        }));

        assertNotSame(seen.get(), persistence.inTransaction(PersistenceTest::root));
    }

    @ParameterizedTest
    @CsvSource({"true,false,false", "true,true,false", "true,false,true", "true,true,true"})
    void everyEnterHasItsExit(boolean events, boolean engineObjects, boolean collections) throws Exception {
        open(events, engineObjects, collections);
        reserve("BA1");
        assertThrows(DomainException.class, () -> reserve("BA1x"));
        assertThrows(RuntimeException.class, this::overlap);
        persistence.inTransaction(session -> {
            new SessionStore(session).remove(root(session).reserve("BA2", "Rui", "2"));
            return null;
        });

        monitor.assertBalanced();
        assertTrue(monitor.enters("hibernate") > 0);
        assertTrue(monitor.enters("hibernate.load") > 0);
        assertTrue(monitor.enters("hibernate.write") > 0);
    }

    @Test
    void aMonitorThatDoesNotTrackNestingGetsReadsAndWritesAlone() throws Exception {
        monitor.nesting = false;
        open(true, true, true);
        reserve("BA1");
        assertThrows(RuntimeException.class, this::overlap);

        monitor.assertBalanced();
        assertEquals(0, monitor.enters("hibernate"));
        assertTrue(monitor.enters("hibernate.load") > 0);
        assertTrue(monitor.enters("hibernate.write") > 0);
    }

    @Test
    void everyObjectLoadedOrStoredIsOneEvent() throws DomainException {
        open(true, false, false);
        monitor.clear();
        persistence.inTransaction(session -> root(session).searchFlights("Lisbon", "Faro"));
        // the root, four flights, two airports, one airplane
        assertEquals(8, monitor.enters("hibernate.load"));
        assertEquals(8, monitor.enters("hibernate"));
        assertEquals(0, monitor.enters("hibernate.write"));

        reserve("BA1");
        // new: the passenger and the reservation; changed: the root's and the flight's version
        assertEquals(4, monitor.enters("hibernate.write"));
    }

    @Test
    void collectionsCountAsReadsWhenWanted() {
        open(true, false, true);
        monitor.clear();
        persistence.inTransaction(session -> root(session).searchFlights("Lisbon", "Faro"));

        assertEquals(8 + 1, monitor.enters("hibernate.load"));
    }

    @Test
    void wrappingAddsTheEngineAndNothingToReadsAndWrites() {
        open(true, true, false);
        monitor.clear();
        persistence.inTransaction(session -> root(session).searchFlights("Lisbon", "Faro"));

        assertEquals(8, monitor.enters("hibernate.load"));
        // getCurrentSession, beginTransaction, createQuery, getSingleResult, getTransaction, commit
        assertEquals(8 + 6, monitor.enters("hibernate"));
    }

    @Test
    void anExceptionOfHibernateComesThroughTheWrapperAsItIs() {
        open(true, true, false);

        assertThrows(Expected.BAD_QUERY, () -> persistence.inTransaction(session ->
                new SessionStore(session).find("from Nothing", Object.class, Map.of())));
        monitor.assertBalanced();
    }

    private void open(boolean events, boolean engineObjects, boolean collections) {
        persistence = TestDomain.open("persistence-" + UUID.randomUUID(), monitor,
                new Persistence.Monitoring(events, engineObjects, collections));
    }

    /** A reservation during which another thread makes one from begin to commit. */
    private void overlap() throws Exception {
        persistence.inTransaction(session -> {
            root(session).reserve("BA1", "Ana", "1");
            Thread other = new Thread(() -> {
                try {
                    reserve("BA2");
                } catch (DomainException e) {
                    throw new IllegalStateException(e);
                }
            });
            other.start();
            other.join();
            return null;
        });
    }

    private void reserve(String flight) throws DomainException {
        persistence.inTransaction(session -> root(session).reserve(flight, "Ana", "1"));
    }

    private int passengers() {
        return persistence.inTransaction(session -> root(session).getPassengers().size());
    }

    private static FlightManager root(Session session) {
        return new SessionStore(session).only("from FlightManager", FlightManager.class);
    }

    /** Counts enters and exits, over all threads. */
    private static final class Counting implements Monitor {

        private final List<String> entered = new ArrayList<>();
        private final Map<String, Integer> open = new TreeMap<>();
        private boolean nesting = true;

        @Override
        public boolean tracksNesting() {
            return nesting;
        }

        @Override
        public synchronized void enter(String tag) {
            entered.add(tag);
            open.merge(tag, 1, Integer::sum);
        }

        @Override
        public synchronized void exit(String tag) {
            open.merge(tag, -1, Integer::sum);
        }

        @Override
        public void context(String tag, String key, String value) {
        }

        @Override
        public void close() {
        }

        synchronized void clear() {
            entered.clear();
        }

        synchronized long enters(String tag) {
            return entered.stream().filter(tag::equals).count();
        }

        synchronized void assertBalanced() {
            open.forEach((tag, count) -> assertEquals(0, count, tag));
        }
    }
}
