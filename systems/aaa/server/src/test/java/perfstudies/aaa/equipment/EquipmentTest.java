package perfstudies.aaa.equipment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EquipmentTest {

    private final AtomicLong nowMs = new AtomicLong();
    private final Equipment equipment = new Equipment(100, nowMs::get);

    @Test
    void moreThanThereIsCannotBeReserved() {
        assertNotNull(equipment.reserve(60, 1_000));
        assertNull(equipment.reserve(41, 1_000));
        assertNotNull(equipment.reserve(40, 1_000));
        assertEquals(0, equipment.freeMbit());
    }

    @Test
    void whatIsReleasedIsFreeOnce() {
        String first = equipment.reserve(60, 1_000);
        String second = equipment.reserve(10, 1_000);
        assertNotEquals(first, second);
        assertTrue(equipment.release(first));
        assertFalse(equipment.release(first));
        assertFalse(equipment.release("none"));
        assertEquals(90, equipment.freeMbit());
    }

    @Test
    void aReservationEndsByItself() {
        String name = equipment.reserve(60, 1_000);
        equipment.reserve(10, 2_000);
        nowMs.set(999);
        assertEquals(30, equipment.freeMbit());
        nowMs.set(1_000);
        assertEquals(90, equipment.freeMbit());
        assertFalse(equipment.release(name));
    }
}
