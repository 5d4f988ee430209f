package perfstudies.aaa.ticket;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * Who may use what, and until when. As text it is its fields and their Ed25519 signature, both in the URL's Base64,
 * with a point between them.
 *
 * @param session the session in which it was issued
 * @param notAfterMs the last ms at which it is good, since 1970
 * @param nonce what makes it different from every other, so that it is good only once
 */
public record Ticket(String user, String service, int bandwidthMbit, String session, long notAfterMs, String nonce) {

    static final String ALGORITHM = "Ed25519";
    private static final int NONCE_BYTES = 16;
    private static final int FIELDS = 6;
    private static final SecureRandom RANDOM = new SecureRandom();

    public Ticket {
        for (String text : List.of(user, service, session, nonce)) {
            if (text.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("a ticket's fields are lines");
            }
        }
    }

    /** A new ticket, with a nonce of its own. */
    public static Ticket issue(String user, String service, int bandwidthMbit, String session, long notAfterMs) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return new Ticket(user, service, bandwidthMbit, session, notAfterMs, HexFormat.of().formatHex(nonce));
    }

    /** The signed text. */
    public String sign(PrivateKey key) throws GeneralSecurityException {
        byte[] fields = String.join("\n", user, service, Integer.toString(bandwidthMbit), session,
                Long.toString(notAfterMs), nonce).getBytes(StandardCharsets.UTF_8);
        Signature signature = Signature.getInstance(ALGORITHM);
        signature.initSign(key);
        signature.update(fields);
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return encoder.encodeToString(fields) + "." + encoder.encodeToString(signature.sign());
    }

    /** Reads fields whose signature was found good. */
    static Ticket of(byte[] fields) {
        String[] lines = new String(fields, StandardCharsets.UTF_8).split("\n", -1);
        if (lines.length != FIELDS) {
            throw new IllegalArgumentException("a ticket has " + FIELDS + " fields, and not " + lines.length);
        }
        return new Ticket(lines[0], lines[1], Integer.parseInt(lines[2]), lines[3], Long.parseLong(lines[4]), lines[5]);
    }
}
