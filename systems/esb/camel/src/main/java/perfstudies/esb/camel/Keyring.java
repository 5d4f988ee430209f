package perfstudies.esb.camel;

import java.io.IOException;
import java.nio.file.Path;
import perfstudies.esb.security.Security;

/** The keys of the secured proxy and its clients. They take a second to make, so they are made when first asked for. */
final class Keyring {

    private final Path folder;
    private Security security;

    /** @param folder for the files that making keys needs for a moment */
    Keyring(Path folder) {
        this.folder = folder;
    }

    synchronized Security security() throws IOException {
        if (security == null) {
            security = Security.create(folder);
        }
        return security;
    }
}
