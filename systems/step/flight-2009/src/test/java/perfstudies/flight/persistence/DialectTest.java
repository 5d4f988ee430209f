package perfstudies.flight.persistence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import perfstudies.launch.UsageException;

class DialectTest {

    @Test
    void aDatabaseIsKnownByItsAddress() {
        assertEquals(Dialect.H2, Dialect.of("jdbc:h2:mem:x"));
        assertEquals(Dialect.MYSQL, Dialect.of("jdbc:mysql://127.0.0.1:3306/flight"));
    }

    @Test
    void aDriverThatIsYoungerIsRefused() {
        String refusal = assertThrows(UsageException.class, () -> Dialect.of("jdbc:mariadb://127.0.0.1/flight"))
                .getMessage();
        assertEquals("database.url = jdbc:mariadb://127.0.0.1/flight: must begin with jdbc:h2: or jdbc:mysql:", refusal);
    }
}
