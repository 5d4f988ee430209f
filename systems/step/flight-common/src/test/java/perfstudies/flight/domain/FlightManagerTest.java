package perfstudies.flight.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlightManagerTest {

    private final FlightManager manager = new FlightManager();
    private final Airport lisbon = new Airport("LIS", "Portela", "Lisbon", "Portugal");
    private final Airport faro = new Airport("FAO", "Faro", "Faro", "Portugal");

    @BeforeEach
    void addFlights() {
        add("BA3", "20.00", lisbon, faro);
        add("BA2", "10.00", lisbon, faro);
        add("BA1", "20.00", lisbon, faro);
        add("BA4", "5.00", faro, lisbon);
    }

    @Test
    void findsFlightsCheapestFirstAndKeepsThoseOfEqualPrice() {
        List<String> numbers = manager.searchFlights("Lisbon", "Faro").stream().map(Flight::getNumber).toList();

        assertEquals(List.of("BA2", "BA1", "BA3"), numbers);
    }

    @Test
    void findsNothingWhereNothingFlies() {
        assertEquals(List.of(), manager.searchFlights("Lisbon", "Lisbon"));
        assertEquals(List.of(), manager.searchFlights("Lisbonx", "Faro"));
    }

    @Test
    void numbersTheReservationsOfEachFlight() throws DomainException {
        assertEquals("BA1-1", manager.reserve("BA1", "Ana", "1").getCode());
        assertEquals("BA1-2", manager.reserve("BA1", "Rui", "2").getCode());
        assertEquals("BA4-1", manager.reserve("BA4", "Ana", "1").getCode());
        assertEquals(3, manager.getPassengers().size());
    }

    @Test
    void takesMorePassengersThanSeatsAsTheStudysLoadsNeed() throws DomainException {
        for (int i = 0; i < 200; i++) {
            manager.reserve("BA1", "Ana", "1");
        }

        assertEquals(200, manager.getFlights().get("BA1").getReservations().size());
    }

    @Test
    void reservesOnTheCheapestFlight() throws DomainException {
        assertEquals("BA2", manager.reserveCheapest("Lisbon", "Faro", "Ana", "1").getFlight().getNumber());
    }

    @Test
    void refusesWhatItCannotReserve() {
        assertEquals("UnknownFlightException", assertThrows(DomainException.class,
                () -> manager.reserve("BA1x", "Ana", "1")).faultType());
        assertEquals("NoFlightException", assertThrows(DomainException.class,
                () -> manager.reserveCheapest("Lisbon", "Lisbon", "Ana", "1")).faultType());
        assertEquals("InvalidPassengerException", assertThrows(DomainException.class,
                () -> manager.reserve("BA1", " ", "1")).faultType());
        assertEquals(0, manager.getPassengers().size());
    }

    private void add(String number, String price, Airport from, Airport to) {
        Airplane airplane = new Airplane("G-0001", "A318-100", 32, BigDecimal.ONE);
        manager.getFlights().put(number, new Flight(number, LocalDateTime.of(2026, 1, 1, 12, 0), BigDecimal.ONE,
                new BigDecimal(price), from, to, airplane));
    }
}
