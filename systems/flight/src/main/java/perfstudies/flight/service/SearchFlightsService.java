package perfstudies.flight.service;

import java.util.List;
import perfstudies.flight.domain.FlightManager;
import perfstudies.flight.view.FlightView;

/** Finds the flights between two cities, cheapest first. */
public final class SearchFlightsService extends Service<List<FlightView>> {

    private final String departureCity;
    private final String arrivalCity;

    public SearchFlightsService(String departureCity, String arrivalCity) {
        this.departureCity = departureCity;
        this.arrivalCity = arrivalCity;
    }

    @Override
    List<FlightView> action(FlightManager manager) {
        return manager.searchFlights(departureCity, arrivalCity).stream().map(Views::of).toList();
    }
}
