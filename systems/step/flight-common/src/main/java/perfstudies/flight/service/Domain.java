package perfstudies.flight.service;

import org.hibernate.Session;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.domain.Flights;
import perfstudies.flight.domain.QueriedFlights;
import perfstudies.flight.domain.ReservationNumbers;
import perfstudies.flight.persistence.SessionStore;

/** How services come to the domain: from its root, as in the study, or by queries. */
public record Domain(boolean root, ReservationNumbers numbers) {

    /** The study's own way. */
    public static final Domain OF_THE_STUDY = new Domain(true, ReservationNumbers.COUNTED);

    Flights open(Session session) {
        SessionStore store = new SessionStore(session);
        if (!root) {
            return new QueriedFlights(store, numbers);
        }
        FlightManager manager = store.only("from FlightManager", FlightManager.class);
        manager.numberReservations(numbers);
        return manager;
    }
}
