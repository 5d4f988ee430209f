package perfstudies.flight.service;

import java.util.ArrayList;
import java.util.List;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.Flights;
import perfstudies.flight.view.PassengerView;
import perfstudies.flight.view.ReservationView;

/** Reserves seats on a flight for a group: for all of them, or, as its transaction rolls back, for none. */
public final class CreateMultipleReservationsService extends Service<List<ReservationView>> {

    private final String flightNumber;
    private final List<PassengerView> passengers;

    public CreateMultipleReservationsService(String flightNumber, List<PassengerView> passengers) {
        this.flightNumber = flightNumber;
        this.passengers = passengers;
    }

    @Override
    List<ReservationView> action(Flights domain) throws DomainException {
        List<ReservationView> reservations = new ArrayList<>();
        for (PassengerView passenger : passengers) {
            reservations.add(Views.of(domain.reserve(flightNumber, passenger.getName(), passenger.getId())));
        }
        return reservations;
    }
}
