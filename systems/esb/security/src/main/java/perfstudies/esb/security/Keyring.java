package perfstudies.esb.security;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The keys of an engine's secured proxy and its clients. They take seconds to make, so they are made when first asked
 * for. Many threads may ask at once.
 */
public final class Keyring {

    private final Path folder;
    private volatile Security security;

    /** @param folder a folder that is there, for files that making keys needs for a moment */
    public Keyring(Path folder) {
        this.folder = folder;
    }

    /**
     * The same keys each time.
     *
     * @throws IOException if they cannot be made
     */
    public Security security() throws IOException {
        Security made = security;
        return made == null ? make() : made;
    }

    private synchronized Security make() throws IOException {
        if (security == null) {
            security = Security.create(folder);
        }
        return security;
    }
}
