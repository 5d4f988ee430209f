package perfstudies.esb.backend;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import javax.wsdl.Definition;
import javax.wsdl.Port;
import javax.wsdl.Service;
import javax.wsdl.extensions.soap.SOAPAddress;
import org.apache.axis2.AxisFault;
import org.apache.axis2.Constants;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.MessageContext;
import org.apache.axis2.description.AxisOperation;
import org.apache.axis2.description.AxisService;
import org.apache.axis2.description.Parameter;
import org.apache.axis2.description.WSDL11ToAxisServiceBuilder;
import org.apache.axis2.engine.AxisConfiguration;
import org.apache.axis2.wsdl.WSDLConstants;
import perfstudies.esb.backend.generated.Echo;
import perfstudies.esb.backend.generated.EchoResponse;
import perfstudies.esb.backend.generated.EchoServiceMessageReceiverInOut;
import perfstudies.esb.backend.generated.EchoServiceSkeletonInterface;

/** The service: its answer has what the request had, as the data binding read it, after a wait. */
final class EchoService extends EchoServiceMessageReceiverInOut implements EchoServiceSkeletonInterface {

    private static final String DESCRIPTION = "EchoService.wsdl";

    private final int delayMs;
    /** Null if nobody wants one. */
    private final CallLog calls;
    private final LongAdder served = new LongAdder();

    EchoService(int delayMs, CallLog calls) {
        this.delayMs = delayMs;
        this.calls = calls;
    }

    @Override
    public EchoResponse echo(Echo request) {
        long entered = System.nanoTime();
        if (delayMs > 0) {
            try {
                Thread.sleep(delayMs);
            } catch (InterruptedException e) {
                // The server stops: whoever waits may have the answer early.
                Thread.currentThread().interrupt();
            }
        }
        EchoResponse response = new EchoResponse();
        response.setEchoResponse(request.getEcho());
        if (calls != null) {
            calls.add(entered, System.nanoTime());
        }
        served.increment();
        return response;
    }

    /** Returns how many calls it has served since it was last asked. */
    long served() {
        return served.sumThenReset();
    }

    /** One object serves all requests, where Axis2 would make one for each. */
    @Override
    protected Object getTheImplementationObject(MessageContext message) {
        return this;
    }

    /** Deploys the service, with a description that names an address. */
    void deploy(ConfigurationContext context, String address) throws IOException {
        AxisConfiguration configuration = context.getAxisConfiguration();
        AxisService service = describe();
        service.setScope(Constants.SCOPE_APPLICATION);
        service.setClassLoader(getClass().getClassLoader());
        // What a client reads is the description that is here, not one that Axis2 makes of it.
        service.addParameter("useOriginalwsdl", "true");
        service.addParameter("modifyUserWSDLPortAddress", "false");
        Parameter definition = service.getParameter(WSDLConstants.WSDL_4_J_DEFINITION);
        setAddress((Definition) definition.getValue(), address);
        for (var operations = service.getOperations(); operations.hasNext(); ) {
            AxisOperation operation = operations.next();
            operation.setMessageReceiver(this);
            configuration.getPhasesInfo().setOperationPhases(operation);
        }
        configuration.addService(service);
    }

    private static AxisService describe() throws IOException {
        try (InputStream description = EchoService.class.getResourceAsStream(DESCRIPTION)) {
            WSDL11ToAxisServiceBuilder builder = new WSDL11ToAxisServiceBuilder(description, null, null);
            builder.setServerSide(true);
            return builder.populateService();
        }
    }

    private static void setAddress(Definition definition, String address) throws AxisFault {
        for (Object service : definition.getServices().values()) {
            for (Object port : ((Service) service).getPorts().values()) {
                for (Object element : ((Port) port).getExtensibilityElements()) {
                    if (element instanceof SOAPAddress) {
                        ((SOAPAddress) element).setLocationURI(address);
                    }
                }
            }
        }
    }
}
