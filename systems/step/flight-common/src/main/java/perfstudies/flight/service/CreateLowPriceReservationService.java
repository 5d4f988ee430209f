package perfstudies.flight.service;

import perfstudies.flight.domain.DomainException;
import perfstudies.flight.domain.Flights;
import perfstudies.flight.view.PassengerView;
import perfstudies.flight.view.ReservationView;

/** Reserves a seat for one passenger on the cheapest flight between two cities. */
public final class CreateLowPriceReservationService extends Service<ReservationView> {

    private final String departureCity;
    private final String arrivalCity;
    private final PassengerView passenger;

    public CreateLowPriceReservationService(String departureCity, String arrivalCity, PassengerView passenger) {
        this.departureCity = departureCity;
        this.arrivalCity = arrivalCity;
        this.passenger = passenger;
    }

    @Override
    ReservationView action(Flights domain) throws DomainException {
        return Views.of(domain.reserveCheapest(departureCity, arrivalCity, passenger.getName(), passenger.getId()));
    }
}
