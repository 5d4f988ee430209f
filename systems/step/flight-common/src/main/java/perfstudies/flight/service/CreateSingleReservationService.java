package perfstudies.flight.service;

import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.Flights;
import perfstudies.flight.view.PassengerView;
import perfstudies.flight.view.ReservationView;

/** Reserves a seat on a flight for one passenger. */
public final class CreateSingleReservationService extends Service<ReservationView> {

    private final String flightNumber;
    private final PassengerView passenger;

    public CreateSingleReservationService(String flightNumber, PassengerView passenger) {
        this.flightNumber = flightNumber;
        this.passenger = passenger;
    }

    @Override
    ReservationView action(Flights domain) throws DomainException {
        return Views.of(domain.reserve(flightNumber, passenger.getName(), passenger.getId()));
    }
}
