package perfstudies.flight.ws;

import com.sun.xml.ws.api.BindingID;
import com.sun.xml.ws.api.WSBinding;
import com.sun.xml.ws.api.server.InstanceResolver;
import com.sun.xml.ws.api.server.SDDocumentSource;
import com.sun.xml.ws.api.server.WSEndpoint;
import com.sun.xml.ws.binding.BindingImpl;
import com.sun.xml.ws.transport.http.servlet.ServletAdapterList;
import com.sun.xml.ws.transport.http.servlet.WSServlet;
import com.sun.xml.ws.transport.http.servlet.WSServletDelegate;
import java.util.List;
import javax.servlet.ServletContext;
import javax.xml.namespace.QName;
import javax.xml.ws.handler.Handler;
import org.xml.sax.EntityResolver;

/** Publishes the endpoint, with its contract and its handlers, for the JAX-WS servlet of a web application. */
public final class EndpointFactory {

    private static final String NAMESPACE = "urn:org:tripplanner:flight:wsdl";

    private EndpointFactory() {
    }

    /** Does what a deployment descriptor would tell the JAX-WS runtime to do. */
    @SuppressWarnings("rawtypes") // the handler chain of JAX-WS is a list of raw handlers
    public static void publish(FlightEndpoint endpoint, List<Handler> handlers, String path, ServletContext context) {
        WSBinding binding = BindingImpl.create(BindingID.SOAP11_HTTP);
        binding.setHandlerChain(handlers);
        WSEndpoint<FlightEndpoint> published = WSEndpoint.create(FlightEndpoint.class, true,
                InstanceResolver.createSingleton(endpoint).createInvoker(),
                new QName(NAMESPACE, "FlightService"), new QName(NAMESPACE, "FlightPort"), new EndpointContainer(),
                binding, SDDocumentSource.create(EndpointFactory.class.getResource("flight.wsdl")), List.of(),
                (EntityResolver) null, false);
        ServletAdapterList adapters = new ServletAdapterList();
        adapters.createAdapter("flight", path, published);
        context.setAttribute(WSServlet.JAXWS_RI_RUNTIME_INFO, new WSServletDelegate(adapters, context));
    }
}
