package perfstudies.flight.service;

import org.hibernate.Session;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.domain.Flights;
import perfstudies.flight.domain.QueriedFlights;
import perfstudies.flight.domain.ReservationNumbers;

/** How services come to the domain: from its root, as in the study, or by queries. */
public record Domain(boolean root, ReservationNumbers numbers) {

    /** The study's own way. */
    public static final Domain OF_THE_STUDY = new Domain(true, ReservationNumbers.COUNTED);

    Flights open(Session session) {
        if (!root) {
            return new QueriedFlights(session, numbers);
        }
        FlightManager manager = session.createQuery("from FlightManager", FlightManager.class).getSingleResult();
        manager.numberReservations(numbers);
        return manager;
    }
}
