package perfstudies.flight.ws;

import jakarta.jws.WebService;
import jakarta.persistence.PersistenceException;
import java.util.List;
import org.apache.log4j.Logger;
import org.hibernate.HibernateException;
import perfstudies.flight.domain.DomainException;
import perfstudies.flight.extension.InterceptorChain;
import perfstudies.flight.service.CreateLowPriceReservationService;
import perfstudies.flight.service.CreateMultipleReservationsService;
import perfstudies.flight.service.CreateSingleReservationService;
import perfstudies.flight.service.SearchFlightsService;
import perfstudies.flight.service.Service;
import perfstudies.flight.service.ServiceExecutor;
import perfstudies.flight.view.FlightFaultView;
import perfstudies.flight.view.FlightView;
import perfstudies.flight.view.PassengerView;
import perfstudies.flight.view.ReservationView;
import perfstudies.flight.view.ServiceUnavailableView;
import perfstudies.flight.ws.contract.FlightFault;
import perfstudies.flight.ws.contract.FlightPortType;
import perfstudies.flight.ws.contract.ServiceUnavailable;

/**
 * The four operations, each of which runs its service. A domain exception becomes a flightFault of that type; anything
 * else that goes wrong becomes serviceUnavailable.
 */
@WebService(endpointInterface = "perfstudies.flight.ws.contract.FlightPortType", serviceName = "FlightService",
        portName = "FlightPort", targetNamespace = "urn:org:tripplanner:flight:wsdl")
public class FlightEndpoint implements FlightPortType {

    private static final Logger LOG = Logger.getLogger(FlightEndpoint.class);

    private final ServiceExecutor services;
    private final InterceptorChain interceptors;

    public FlightEndpoint(ServiceExecutor services, InterceptorChain interceptors) {
        this.services = services;
        this.interceptors = interceptors;
    }

    @Override
    public List<FlightView> searchFlights(String depart, String arrive) throws FlightFault, ServiceUnavailable {
        return call("searchFlights", new SearchFlightsService(depart, arrive));
    }

    @Override
    public ReservationView createSingleReservation(String flightNumber, PassengerView passenger)
            throws FlightFault, ServiceUnavailable {
        return call("createSingleReservation", new CreateSingleReservationService(flightNumber, passenger));
    }

    @Override
    public List<ReservationView> createMultipleReservations(String flightNumber, List<PassengerView> passenger)
            throws FlightFault, ServiceUnavailable {
        return call("createMultipleReservations", new CreateMultipleReservationsService(flightNumber, passenger));
    }

    @Override
    public ReservationView createLowPriceReservation(String departure, String destination, PassengerView passenger)
            throws FlightFault, ServiceUnavailable {
        return call("createLowPriceReservation",
                new CreateLowPriceReservationService(departure, destination, passenger));
    }

    private <R> R call(String operation, Service<R> service) throws FlightFault, ServiceUnavailable {
        try {
            return interceptors.run(operation, () -> services.execute(service));
        } catch (DomainException e) {
            LOG.debug(operation + ": " + e.getMessage());
            FlightFaultView view = new FlightFaultView();
            view.setFaultType(e.faultType());
            throw new FlightFault(e.getMessage(), view, e);
        } catch (RuntimeException e) {
            Throwable error = unwrap(e);
            LOG.warn(operation + " failed: " + error);
            ServiceUnavailableView view = new ServiceUnavailableView();
            view.setError(error.getClass().getName());
            throw new ServiceUnavailable("the service is not available", view, e);
        }
    }

    /** What went wrong, without the exceptions that the persistence API wraps round it. */
    private static Throwable unwrap(RuntimeException e) {
        Throwable error = e;
        while (error instanceof PersistenceException && !(error instanceof HibernateException)
                && error.getCause() != null) {
            error = error.getCause();
        }
        return error;
    }
}
