package perfstudies.aaa.ticket;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/** The key pair of the tickets, as two PEM files. */
public final class KeyFiles {

    private static final String PRIVATE = "PRIVATE KEY";
    private static final String PUBLIC = "PUBLIC KEY";

    private KeyFiles() {
    }

    /** Makes a key pair. Only the owner may read the private file; neither may be there before. */
    public static void make(Path privateFile, Path publicFile) throws IOException, GeneralSecurityException {
        KeyPair pair = KeyPairGenerator.getInstance(Ticket.ALGORITHM).generateKeyPair();
        if (Files.getFileStore(privateFile.toAbsolutePath().getParent()).supportsFileAttributeView("posix")) {
            Files.createFile(privateFile,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(privateFile);
        }
        Files.writeString(privateFile, pem(PRIVATE, pair.getPrivate().getEncoded()));
        Files.writeString(publicFile, pem(PUBLIC, pair.getPublic().getEncoded()), StandardOpenOption.CREATE_NEW);
    }

    public static PrivateKey readPrivate(Path file) throws IOException, GeneralSecurityException {
        return KeyFactory.getInstance(Ticket.ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(read(file, PRIVATE)));
    }

    public static PublicKey readPublic(Path file) throws IOException, GeneralSecurityException {
        return KeyFactory.getInstance(Ticket.ALGORITHM).generatePublic(new X509EncodedKeySpec(read(file, PUBLIC)));
    }

    private static String pem(String kind, byte[] key) {
        Base64.Encoder encoder = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN " + kind + "-----\n" + encoder.encodeToString(key) + "\n-----END " + kind + "-----\n";
    }

    private static byte[] read(Path file, String kind) throws IOException, GeneralSecurityException {
        String text = Files.readString(file).strip();
        String head = "-----BEGIN " + kind + "-----";
        String tail = "-----END " + kind + "-----";
        if (!text.startsWith(head) || !text.endsWith(tail)) {
            throw new InvalidKeyException(file + " is no file with a " + kind);
        }
        try {
            return Base64.getMimeDecoder().decode(text.substring(head.length(), text.length() - tail.length()));
        } catch (IllegalArgumentException e) {
            throw new InvalidKeyException(file + " is damaged: " + e.getMessage(), e);
        }
    }
}
