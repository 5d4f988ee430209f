package perfstudies.flight.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import perfstudies.flight.Expected;
import perfstudies.flight.TestDomain;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightReservation;
import perfstudies.flight.domain.ReservationNumbers;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.persistence.SessionStore;

/** The ways to the domain do the same, and differ in which transactions cannot be at the same time. */
class DomainTest {

    private Persistence persistence;

    @AfterEach
    void close() {
        persistence.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bothWaysGiveTheSameAnswers(boolean root) throws DomainException {
        open(0);
        Domain domain = new Domain(root, ReservationNumbers.COUNTED);

        assertEquals(List.of("BA3", "BA2", "BA1"), persistence.inTransaction(session ->
                domain.open(session).searchFlights("Lisbon", "Faro").stream().map(Flight::getNumber).toList()));
        assertEquals(List.of(), persistence.inTransaction(session ->
                domain.open(session).searchFlights("Lisbon", "Lisbon")));
        assertEquals("BA1-1", reserve(domain, "BA1"));
        assertEquals("BA1-2", reserve(domain, "BA1"));
        assertEquals("BA3", persistence.inTransaction(session ->
                domain.open(session).reserveCheapest("Lisbon", "Faro", "Ana", "1").getFlight().getNumber()));
        assertEquals("UnknownFlightException", refusal(session -> domain.open(session).reserve("BA1x", "Ana", "1")));
        assertEquals("InvalidPassengerException", refusal(session -> domain.open(session).reserve("BA1", " ", "1")));
        assertEquals("NoFlightException",
                refusal(session -> domain.open(session).reserveCheapest("Faro", "Faro", "Ana", "1")));
        assertEquals(3, stored("FlightReservation"));
        assertEquals(3, stored("Passenger"));
    }

    @Test
    void withoutTheRootAPassengerIsStoredOutsideItsMap() throws DomainException {
        open(0);
        reserve(new Domain(false, ReservationNumbers.COUNTED), "BA1");

        assertEquals("BA1-2", reserve(Domain.OF_THE_STUDY, "BA1"), "the flight's count goes on");
        assertEquals(2, stored("Passenger"));
        assertEquals(1, stored("FlightManager m join m.passengers"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void randomNumbersLeaveTheFlightAsItWas(boolean root) throws DomainException {
        open(0);
        Domain domain = new Domain(root, ReservationNumbers.RANDOM);
        String code = reserve(domain, "BA1");

        assertTrue(code.matches("BA1-[0-9a-f-]{36}"), code);
        assertNotEquals(code, reserve(domain, "BA1"));
        Flight flight = persistence.inTransaction(session ->
                new SessionStore(session).only("from Flight where number = 'BA1'", Flight.class));
        assertEquals(0, flight.getLastReservationId());
        assertEquals(Expected.versionAfterTwo(root), flight.getObjVersion());
    }

    @ParameterizedTest
    @CsvSource({"true,COUNTED,BA2,true", "true,RANDOM,BA2,true", "false,COUNTED,BA1,true", "false,COUNTED,BA2,false",
        "false,RANDOM,BA1,false"})
    void twoReservationsAtTheSameTimeConflictInWhatTheyShare(boolean root, ReservationNumbers numbers,
            String otherFlight, boolean conflict) throws Exception {
        open(0);
        Domain domain = new Domain(root, numbers);
        Overlap overlap = new Overlap(domain, otherFlight, 1);
        if (conflict) {
            RuntimeException failure = assertThrows(RuntimeException.class,
                    () -> persistence.inTransaction(overlap));
            Expected.assertStale(failure);
        } else {
            persistence.inTransaction(overlap);
        }

        assertEquals(conflict ? 1 : 2, stored("FlightReservation"));
        assertEquals(conflict ? 1L : 0L, persistence.takeCounts().get("optimistic_failures"));
    }

    @ParameterizedTest
    @CsvSource({"true,NONE", "true,READ_WRITE", "false,NONE", "false,READ_WRITE"})
    void aTransactionThatIsDoneAgainStartsAfreshAndSucceeds(boolean root, Database.Cache cache) throws Exception {
        persistence = TestDomain.open(UUID.randomUUID().toString(), cache, 3);
        persistence.takeCounts();
        Overlap overlap = new Overlap(new Domain(root, ReservationNumbers.COUNTED), "BA1", 2);

        assertEquals("BA1-3", persistence.inTransaction(overlap), "it sees what the two others did");
        assertEquals(3, overlap.sessions.stream().distinct().count());
        Map<String, Long> counts = persistence.takeCounts();
        assertEquals(2, counts.get("retries"));
        assertEquals(2, counts.get("optimistic_failures"));
        assertEquals(3, stored("FlightReservation"));
    }

    @Test
    void aTransactionIsNotDoneAgainMoreOftenThanAllowed() throws Exception {
        open(2);
        Overlap overlap = new Overlap(Domain.OF_THE_STUDY, "BA2", 5);

        assertThrows(RuntimeException.class, () -> persistence.inTransaction(overlap));
        assertEquals(3, overlap.sessions.size());
    }

    @Test
    void onlyConflictsAreDoneAgain() {
        open(2);
        List<Session> sessions = new ArrayList<>();
        assertThrows(IllegalStateException.class, () -> persistence.inTransaction(session -> {
            sessions.add(session);
            throw new IllegalStateException();
        }));

        assertEquals(1, sessions.size());
    }

    private void open(int retries) {
        persistence = TestDomain.open(UUID.randomUUID().toString(), Database.Cache.NONE, retries);
        persistence.takeCounts();
    }

    private String reserve(Domain domain, String flight) throws DomainException {
        return persistence.inTransaction(session -> domain.open(session).reserve(flight, "Ana", "1").getCode());
    }

    private String refusal(Persistence.Work<FlightReservation, DomainException> work) {
        return assertThrows(DomainException.class, () -> persistence.inTransaction(work)).faultType();
    }

    private long stored(String type) {
        return persistence.inTransaction(session ->
                new SessionStore(session).only("select count(*) from " + type, Long.class));
    }

    /** A reservation on BA1, in whose first transactions another thread makes one from begin to commit. */
    private final class Overlap implements Persistence.Work<String, Exception> {

        private final Domain domain;
        private final String otherFlight;
        private final int times;
        private final List<Session> sessions = new ArrayList<>();

        Overlap(Domain domain, String otherFlight, int times) {
            this.domain = domain;
            this.otherFlight = otherFlight;
            this.times = times;
        }

        @Override
        public String run(Session session) throws Exception {
            sessions.add(session);
            String code = domain.open(session).reserve("BA1", "Ana", "1").getCode();
            if (sessions.size() <= times) {
                List<Throwable> failures = new ArrayList<>();
                Thread other = new Thread(() -> {
                    try {
                        reserve(domain, otherFlight);
                    } catch (DomainException | RuntimeException e) {
                        failures.add(e);
                    }
                });
                other.start();
                other.join();
                assertEquals(List.of(), failures);
            }
            return code;
        }
    }
}
