package perfstudies.aaa.ticket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;

class TicketTest {

    private static final class SetClock extends Clock {

        private long ms = 1_000;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(ms);
        }
    }

    private final SetClock clock = new SetClock();
    private KeyPair keys;
    private TicketVerifier verifier;

    @BeforeEach
    void make() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        verifier = new TicketVerifier(keys.getPublic(), clock);
    }

    @Test
    void aGoodTicketIsAcceptedWithAllItSays() throws Exception {
        Ticket ticket = Ticket.issue("ann", "bandwidth", 10, "aaa-7", 2_000);
        assertEquals(ticket, verifier.accept(ticket.sign(keys.getPrivate())));
    }

    @Test
    void ticketsDifferEvenIfTheySayTheSame() {
        assertNotEquals(Ticket.issue("ann", "bandwidth", 10, "s", 1).nonce(),
                Ticket.issue("ann", "bandwidth", 10, "s", 1).nonce());
    }

    @Test
    void aTicketIsGoodOnlyOnce() throws Exception {
        String text = issue(2_000);
        verifier.accept(text);
        refused(FaultName.TicketReplayed, text);
    }

    @Test
    void aTicketIsGoodUpToItsLastMillisecond() throws Exception {
        String inTime = issue(1_500);
        String late = issue(1_499);
        clock.ms = 1_500;
        verifier.accept(inTime);
        refused(FaultName.TicketExpired, late);
    }

    @Test
    void aUsedTicketThatExpiredIsForgottenAndStaysRefused() throws Exception {
        String first = issue(2_000);
        verifier.accept(first);
        clock.ms = 2_001;
        verifier.accept(issue(3_000));
        assertEquals(1, verifier.remembered());
        refused(FaultName.TicketExpired, first);
    }

    @Test
    void everyChangedCharacterIsFound() throws Exception {
        String text = issue(2_000);
        for (int i = 0; i < text.length(); i++) {
            char other = text.charAt(i) == 'A' ? 'B' : 'A';
            String changed = text.substring(0, i) + other + text.substring(i + 1);
            if (!sameBytes(text, changed)) {
                refused(FaultName.TicketTampered, changed);
            }
        }
        verifier.accept(text);
    }

    /** A part's last character has bits that say nothing. */
    private static boolean sameBytes(String text, String changed) {
        String[] parts = text.split("\\.");
        String[] others = changed.split("\\.");
        return others.length == 2 && decode(parts[0]).equals(decode(others[0]))
                && decode(parts[1]).equals(decode(others[1]));
    }

    private static String decode(String part) {
        return Base64.getEncoder().encodeToString(Base64.getUrlDecoder().decode(part));
    }

    @Test
    void moreBandwidthThanWasSignedIsTampering() throws Exception {
        String[] parts = issue(2_000).split("\\.");
        String fields = new String(Base64.getUrlDecoder().decode(parts[0])).replace("\n10\n", "\n1000\n");
        String changed = Base64.getUrlEncoder().withoutPadding().encodeToString(fields.getBytes());
        assertNotEquals(parts[0], changed);
        refused(FaultName.TicketTampered, changed + "." + parts[1]);
    }

    @Test
    void whatIsNoTicketIsTampering() {
        for (String text : new String[] {"", ".", "a.b.c", "!.!", "YQ.YQ"}) {
            refused(FaultName.TicketTampered, text);
        }
    }

    @Test
    void anotherIssuersTicketIsTampering() throws Exception {
        KeyPair others = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        refused(FaultName.TicketTampered,
                Ticket.issue("ann", "bandwidth", 10, "s", 2_000).sign(others.getPrivate()));
    }

    @Test
    void aFieldIsALine() {
        assertThrows(IllegalArgumentException.class, () -> Ticket.issue("ann\nx", "bandwidth", 10, "s", 1));
    }

    @Test
    void keysSurviveTheirFiles(@TempDir Path folder) throws Exception {
        Path secret = folder.resolve("private.pem");
        Path open = folder.resolve("public.pem");
        KeyFiles.make(secret, open);
        String text = Ticket.issue("ann", "bandwidth", 10, "s", 2_000).sign(KeyFiles.readPrivate(secret));
        assertEquals("ann", new TicketVerifier(KeyFiles.readPublic(open), clock).accept(text).user());
        assertArrayEquals(new Object[] {"OWNER_READ", "OWNER_WRITE"},
                Files.getPosixFilePermissions(secret).stream().map(Enum::name).sorted().toArray());
        assertThrows(FileAlreadyExistsException.class, () -> KeyFiles.make(secret, open));
        assertThrows(InvalidKeyException.class, () -> KeyFiles.readPublic(secret));
        Files.writeString(open, Files.readString(open).replaceFirst("\n.*\n", "\n?\n"));
        assertThrows(Exception.class, () -> KeyFiles.readPublic(open));
    }

    private String issue(long notAfterMs) throws Exception {
        return Ticket.issue("ann", "bandwidth", 10, "aaa-7", notAfterMs).sign(keys.getPrivate());
    }

    private void refused(FaultName fault, String text) {
        Refusal e = assertThrows(Refusal.class, () -> verifier.accept(text));
        assertEquals(fault, e.fault(), e.getMessage());
        assertTrue(!e.getMessage().isEmpty());
    }
}
