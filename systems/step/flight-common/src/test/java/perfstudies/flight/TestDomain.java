package perfstudies.flight;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import javax.xml.namespace.QName;
import perfstudies.flight.domain.Airplane;
import perfstudies.flight.domain.Airport;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.persistence.Database;
import perfstudies.flight.persistence.Persistence;
import perfstudies.flight.view.PassengerView;
import perfstudies.monitor.Monitor;

/** A small domain in a database of the test's own, in memory: three flights from Lisbon to Faro, one back. */
public final class TestDomain {

    /** The service's name in the contract. */
    static final QName SERVICE = new QName("urn:org:tripplanner:flight:wsdl", "FlightService");

    private TestDomain() {
    }

    /** Opens a new database with the domain in it. */
    public static Persistence open(String name, Monitor monitor, Persistence.Monitoring monitoring) {
        return open(database(name, Database.Cache.NONE), monitor, monitoring, 0);
    }

    /** The same with a cache, with retries, and counting what Hibernate does. */
    public static Persistence open(String name, Database.Cache cache, int retries) {
        return open(database(name, cache), Monitor.OFF, Persistence.Monitoring.NONE, retries);
    }

    /** Puts the domain into a new database and closes it. */
    static void fill(Database database) {
        open(database, Monitor.OFF, Persistence.Monitoring.NONE, 0).close();
    }

    static PassengerView passenger(String name) {
        PassengerView passenger = new PassengerView();
        passenger.setName(name);
        passenger.setId("1");
        return passenger;
    }

    private static Persistence open(Database database, Monitor monitor, Persistence.Monitoring monitoring,
            int retries) {
        Persistence persistence = new Persistence(database, Database.Schema.CREATE, monitor, monitoring, retries);
        persistence.inTransaction(session -> {
            session.persist(domain());
            return null;
        });
        return persistence;
    }

    private static Database database(String name, Database.Cache cache) {
        return new Database("jdbc:h2:mem:" + name + ";DB_CLOSE_ON_EXIT=FALSE" + Expected.DATABASE_OPTIONS, "sa", "", 2, cache, true);
    }

    private static FlightManager domain() {
        FlightManager manager = new FlightManager();
        Airport lisbon = new Airport("LIS", "Portela", "Lisbon", "Portugal");
        Airport faro = new Airport("FAO", "Faro", "Faro", "Portugal");
        manager.getAirports().put("LIS", lisbon);
        manager.getAirports().put("FAO", faro);
        Airplane airplane = new Airplane("G-0001", "A318-100", 32, BigDecimal.ONE);
        manager.getAirplanes().put("G-0001", airplane);
        for (int i = 1; i <= 4; i++) {
            Flight flight = new Flight("BA" + i, LocalDateTime.of(2026, 1, i, 12, 0), BigDecimal.ONE,
                    BigDecimal.valueOf(4000 - 1000 * i, 2), i < 4 ? lisbon : faro, i < 4 ? faro : lisbon, airplane);
            manager.getFlights().put(flight.getNumber(), flight);
        }
        return manager;
    }
}
