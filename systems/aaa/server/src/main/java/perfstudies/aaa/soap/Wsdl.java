package perfstudies.aaa.soap;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** A service's description, which holds its schema, so that one fetch is enough, and the address it was asked at. */
public final class Wsdl {

    private static final String SCHEMA = "@SCHEMA@";
    private static final String ADDRESS = "@ADDRESS@";

    private final String text;

    public Wsdl(URL description, URL schema) throws IOException {
        text = read(description).replace(SCHEMA, read(schema).replaceFirst("<\\?xml[^>]*\\?>\\s*", ""));
    }

    public byte[] at(String address) {
        return text.replace(ADDRESS, Xml.escape(address)).getBytes(StandardCharsets.UTF_8);
    }

    private static String read(URL resource) throws IOException {
        try (InputStream input = resource.openStream()) {
            return new String(input.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
