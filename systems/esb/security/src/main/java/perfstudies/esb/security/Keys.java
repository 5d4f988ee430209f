package perfstudies.esb.security;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;

/**
 * The two parties' keys and certificates: of the client, who signs, and of the engine, for whom messages are encrypted.
 * They are made anew by the JDK's keytool and live in memory only, as long as the process; no file keeps them.
 */
record Keys(KeyStore ofClient, KeyStore ofEngine, String password) {

    static final String CLIENT = "client";
    static final String ENGINE = "engine";

    private static final String PASSWORD_VARIABLE = "KEYTOOL_PASSWORD";
    private static final int PASSWORD_BITS = 128;
    private static final long PATIENCE_S = 60;

    /**
     * Makes them.
     *
     * @param folder where keytool's file lies while it is being made; the folder must be there
     */
    static Keys create(Path folder) throws IOException, GeneralSecurityException {
        String password = new BigInteger(PASSWORD_BITS, new SecureRandom()).toString(Character.MAX_RADIX);
        Path work = Files.createTempDirectory(folder, "keys");
        Path file = work.resolve("keys.p12");
        try {
            generate(work, file, CLIENT, password);
            generate(work, file, ENGINE, password);
            KeyStore both = KeyStore.getInstance("PKCS12");
            try (InputStream input = Files.newInputStream(file)) {
                both.load(input, password.toCharArray());
            }
            return new Keys(one(both, CLIENT, ENGINE, password), one(both, ENGINE, CLIENT, password), password);
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(work.resolve("log"));
            Files.delete(work);
        }
    }

    /** What one party has: its own key, and the other's certificate, which is the only one that it trusts. */
    private static KeyStore one(KeyStore both, String own, String other, String password)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        char[] characters = password.toCharArray();
        store.setKeyEntry(own, both.getKey(own, characters), characters, both.getCertificateChain(own));
        store.setCertificateEntry(other, both.getCertificate(other));
        return store;
    }

    private static void generate(Path work, Path file, String alias, String password) throws IOException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin",
                File.separatorChar == '\\' ? "keytool.exe" : "keytool");
        ProcessBuilder builder = new ProcessBuilder(keytool.toString(), "-J-XX:TieredStopAtLevel=1",
                "-genkeypair", "-alias", alias, "-dname", "CN=" + alias, "-keyalg", "RSA", "-keysize", "2048",
                "-validity", "365", "-storetype", "PKCS12", "-keystore", file.toString(),
                "-storepass:env", PASSWORD_VARIABLE);
        builder.environment().put(PASSWORD_VARIABLE, password);
        Path log = work.resolve("log");
        Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IOException("keytool did not end within " + PATIENCE_S + " s");
            }
            if (process.exitValue() != 0) {
                throw new IOException("keytool ended with " + process.exitValue() + ": " + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool made the keys", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
