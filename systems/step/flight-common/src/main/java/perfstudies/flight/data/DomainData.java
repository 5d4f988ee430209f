package perfstudies.flight.data;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.function.Function;
import perfstudies.flight.domain.Airplane;
import perfstudies.flight.domain.Airport;
import perfstudies.flight.domain.Flight;
import perfstudies.flight.domain.FlightManager;

/** Builds the domain from airports.csv, airplanes.csv and flights.csv. */
public final class DomainData {

    private final Path folder;
    private final FlightManager manager = new FlightManager();

    private DomainData(Path folder) {
        this.folder = folder;
    }

    /**
     * Reads a folder.
     *
     * @return the domain root, with all flights and what they need, not yet in any database
     */
    public static FlightManager read(Path folder) throws IOException, DataException {
        DomainData data = new DomainData(folder);
        data.load("airports.csv", "code,name,city,country", DomainData::airport,
                data.manager.getAirports(), Airport::getCode);
        data.load("airplanes.csv", "registration,model,capacity,cost_per_use", DomainData::airplane,
                data.manager.getAirplanes(), Airplane::getRegistration);
        data.load("flights.csv",
                "number,date_time,cost_per_passenger,price_per_passenger,origin,destination,airplane", data::flight,
                data.manager.getFlights(), Flight::getNumber);
        return data.manager;
    }

    /** Makes an object of a row. */
    private interface Maker<T> {

        T make(Csv.Row row) throws DataException;
    }

    private <T> void load(String name, String header, Maker<T> maker, Map<String, T> target, Function<T, String> key)
            throws IOException, DataException {
        for (Csv.Row row : Csv.read(folder.resolve(name), header)) {
            T object;
            try {
                object = maker.make(row);
            } catch (NumberFormatException | DateTimeParseException e) {
                throw new DataException(row.place() + ": " + e.getMessage());
            }
            if (target.put(key.apply(object), object) != null) {
                throw new DataException(row.place() + ": " + key.apply(object) + " comes twice");
            }
        }
    }

    private static Airport airport(Csv.Row row) {
        return new Airport(row.field(0), row.field(1), row.field(2), row.field(3));
    }

    private static Airplane airplane(Csv.Row row) {
        return new Airplane(row.field(0), row.field(1), Integer.parseInt(row.field(2)), new BigDecimal(row.field(3)));
    }

    private Flight flight(Csv.Row row) throws DataException {
        return new Flight(row.field(0), LocalDateTime.parse(row.field(1)), new BigDecimal(row.field(2)),
                new BigDecimal(row.field(3)), known(row, 4, manager.getAirports()),
                known(row, 5, manager.getAirports()), known(row, 6, manager.getAirplanes()));
    }

    private static <T> T known(Csv.Row row, int index, Map<String, T> objects) throws DataException {
        T object = objects.get(row.field(index));
        if (object == null) {
            throw new DataException(row.place() + ": unknown " + row.field(index));
        }
        return object;
    }
}
