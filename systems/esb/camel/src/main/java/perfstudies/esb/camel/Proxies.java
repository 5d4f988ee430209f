package perfstudies.esb.camel;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import javax.xml.stream.XMLStreamException;
import javax.xml.transform.TransformerException;
import org.apache.camel.Exchange;
import org.apache.camel.InvalidPayloadException;
import org.apache.camel.Message;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.RouteDefinition;
import perfstudies.esb.security.InsecureMessageException;
import perfstudies.esb.security.Keyring;

/** The six proxies. Each takes messages at an address of its own and sends them to the one back end. */
final class Proxies extends RouteBuilder {

    private static final String SYMBOL = "IBM";
    private static final String ROUTE = "xadmin;server1";
    private static final String ROUTING = "routing";
    private static final int OK = 200;

    private final String address;
    private final String backend;
    private final boolean streaming;
    private final Keyring keyring;

    /**
     * Describes them.
     *
     * @param address where this engine answers
     * @param streaming whether bodies pass without being copied into a cache
     */
    Proxies(String address, String backend, boolean streaming, Keyring keyring) {
        this.address = address;
        this.backend = backend;
        this.streaming = streaming;
        this.keyring = keyring;
    }

    @Override
    public void configure() throws Exception {
        onException(Exception.class).handled(true).process(Fault.ENGINE);
        onException(IOException.class).handled(true).process(Fault.BACK_END);
        onException(NoRouteException.class, InsecureMessageException.class, InvalidPayloadException.class,
                XMLStreamException.class, TransformerException.class).handled(true).process(Fault.MESSAGE);

        String toBackend = BackEndClient.endpoint(backend, streaming);
        proxy("DirectProxy").to(toBackend);
        readTwice("CBRProxy").process(Proxies::demandSymbol).to(toBackend);
        readTwice("CBRSOAPHeaderProxy").process(Proxies::demandRouting).to(toBackend);
        proxy("CBRTransportHeaderProxy").process(Proxies::demandRoutingHeader).to(toBackend);
        proxy("XSLTProxy").process(new Stylesheet("buy-to-echo.xsl"))
                .setHeader("SOAPAction", constant("\"urn:echo\"")).to(toBackend)
                .filter(header(Exchange.HTTP_RESPONSE_CODE).isEqualTo(OK))
                .process(new Stylesheet("echo-to-buy.xsl"));
        proxy("SecureProxy").process(this::open).to(toBackend);
    }

    private RouteDefinition proxy(String name) {
        return from("jetty:" + address + "/services/" + name + "?httpMethodRestrict=POST&httpBinding=#"
                + HonestBinding.NAME + "&disableStreamCache=" + streaming).routeId(name);
    }

    /** A proxy that looks into the body before it sends it. Without a cache, the body has to be taken in for that. */
    private RouteDefinition readTwice(String name) {
        RouteDefinition route = proxy(name);
        return streaming ? route.convertBodyTo(byte[].class) : route;
    }

    private static void demandSymbol(Exchange exchange) throws Exception {
        Optional<String> symbol = Envelope.symbol(exchange.getMessage().getMandatoryBody(InputStream.class));
        if (!symbol.equals(Optional.of(SYMBOL))) {
            throw new NoRouteException("no route for the first order's symbol, " + symbol.orElse("which is missing"));
        }
    }

    private static void demandRouting(Exchange exchange) throws Exception {
        demandRoute("SOAP", Envelope.routing(exchange.getMessage().getMandatoryBody(InputStream.class)));
    }

    private static void demandRoutingHeader(Exchange exchange) throws NoRouteException {
        demandRoute("HTTP", Optional.ofNullable(exchange.getMessage().getHeader(ROUTING, String.class)));
    }

    private static void demandRoute(String where, Optional<String> routing) throws NoRouteException {
        if (routing.filter(text -> text.startsWith(ROUTE)).isEmpty()) {
            throw new NoRouteException("no route for the " + where + " header " + ROUTING + ", "
                    + routing.orElse("which is missing"));
        }
    }

    private void open(Exchange exchange) throws Exception {
        Message message = exchange.getMessage();
        message.setBody(keyring.security().open(message.getMandatoryBody(byte[].class)));
        message.setHeader(Exchange.CONTENT_TYPE, Fault.CONTENT_TYPE);
    }
}
