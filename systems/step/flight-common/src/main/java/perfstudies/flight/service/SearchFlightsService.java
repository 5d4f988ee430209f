package perfstudies.flight.service;

import java.util.List;
import perfstudies.flight.domain.Flights;
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
    boolean onlyReads() {
        return true;
    }

    @Override
    List<FlightView> action(Flights domain) {
        return domain.searchFlights(departureCity, arrivalCity).stream().map(Views::of).toList();
    }
}
