package perfstudies.aaa.ticket;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Clock;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;

/**
 * Accepts each ticket once. Remembers the nonces of used tickets until these have expired, since expired ones are
 * refused anyway.
 */
public final class TicketVerifier {

    private final PublicKey key;
    private final Clock clock;
    private final Set<String> used = new HashSet<>();
    private final Queue<Ticket> byExpiry = new PriorityQueue<>(Comparator.comparingLong(Ticket::notAfterMs));

    public TicketVerifier(PublicKey key, Clock clock) {
        this.key = key;
        this.clock = clock;
    }

    /**
     * The ticket, if it is good; it is used then.
     *
     * @throws Refusal TicketTampered, if the issuer did not sign this text; TicketExpired; TicketReplayed
     */
    public Ticket accept(String text) throws Refusal {
        Ticket ticket = signed(text);
        long nowMs = clock.millis();
        if (nowMs > ticket.notAfterMs()) {
            throw new Refusal(FaultName.TicketExpired, "the ticket expired " + (nowMs - ticket.notAfterMs())
                    + " ms ago");
        }
        synchronized (this) {
            while (!byExpiry.isEmpty() && byExpiry.peek().notAfterMs() < nowMs) {
                used.remove(byExpiry.remove().nonce());
            }
            if (!used.add(ticket.nonce())) {
                throw new Refusal(FaultName.TicketReplayed, "the ticket was used before");
            }
            byExpiry.add(ticket);
        }
        return ticket;
    }

    /** How many used tickets are remembered. */
    synchronized int remembered() {
        return used.size();
    }

    private Ticket signed(String text) throws Refusal {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 2) {
            throw new Refusal(FaultName.TicketTampered, "a ticket is two texts with a point between them");
        }
        try {
            byte[] fields = Base64.getUrlDecoder().decode(parts[0]);
            Signature signature = Signature.getInstance(Ticket.ALGORITHM);
            signature.initVerify(key);
            signature.update(fields);
            if (!signature.verify(Base64.getUrlDecoder().decode(parts[1]))) {
                throw new Refusal(FaultName.TicketTampered, "the ticket is not what was signed");
            }
            return Ticket.of(fields);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new Refusal(FaultName.TicketTampered, "the ticket cannot be read: " + e.getMessage(), e);
        }
    }
}
