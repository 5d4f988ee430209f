package perfstudies.flight.domain;

import java.util.UUID;

/** Where the last part of a reservation's code comes from. */
public enum ReservationNumbers {

    /** From the flight's own count, so that reserving changes the flight. */
    COUNTED {
        @Override
        String next(Flight flight) {
            return Integer.toString(flight.countReservation());
        }
    },

    /** From chance: with 122 random bits no two will ever be equal, and the flight need not change. */
    RANDOM {
        @Override
        String next(Flight flight) {
            return UUID.randomUUID().toString();
        }
    };

    abstract String next(Flight flight);
}
