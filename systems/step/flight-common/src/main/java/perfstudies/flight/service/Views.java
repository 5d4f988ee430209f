package perfstudies.flight.service;

import java.math.BigDecimal;
import java.time.format.DateTimeFormatter;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeFactory;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightReservation;
import perfstudies.flight.view.CurrencyView;
import perfstudies.flight.view.FlightView;
import perfstudies.flight.view.ReservationView;

/** Makes views of domain objects, so that none of these leaves its transaction. */
final class Views {

    /** The currency of the airline whose fleet and prices the study's data are. */
    private static final String CURRENCY = "GBP";

    private static final DatatypeFactory DATES = dates();

    private Views() {
    }

    static FlightView of(Flight flight) {
        FlightView view = new FlightView();
        view.setNumber(flight.getNumber());
        view.setDepart(flight.getOrigin().getCity());
        view.setArrive(flight.getDestination().getCity());
        view.setDate(DATES.newXMLGregorianCalendar(flight.getDateTime().format(DateTimeFormatter.ISO_LOCAL_DATE_TIME)));
        view.setPrice(price(flight.getPricePerPassenger()));
        return view;
    }

    static ReservationView of(FlightReservation reservation) {
        ReservationView view = new ReservationView();
        view.setCode(reservation.getCode());
        view.setFlightNumber(reservation.getFlight().getNumber());
        return view;
    }

    private static CurrencyView price(BigDecimal value) {
        CurrencyView view = new CurrencyView();
        view.setCode(CURRENCY);
        view.setValue(value);
        return view;
    }

    private static DatatypeFactory dates() {
        try {
            return DatatypeFactory.newInstance();
        } catch (DatatypeConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }
}
