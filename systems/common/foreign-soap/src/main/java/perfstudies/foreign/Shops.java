package perfstudies.foreign;

import jakarta.jws.WebService;
import jakarta.xml.ws.BindingType;
import jakarta.xml.ws.soap.SOAPBinding;
import java.util.LinkedHashMap;
import java.util.Map;

/** The endpoints of a stack that reads the annotations of Jakarta XML Web Services, by the path of each. */
public final class Shops {

    private Shops() {
    }

    /** Returns new endpoints. */
    public static Map<String, Object> byPath() {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("wrapped", new Wrapped());
        found.put("wrapped12", new Wrapped12());
        found.put("bare", new Bare());
        found.put("bare12", new Bare12());
        found.put("rpc", new Rpc());
        found.put("imported", new Imported());
        return found;
    }

    /** Document/literal wrapped over SOAP 1.1. */
    @WebService(serviceName = "Shop", portName = "ShopPort", targetNamespace = Shop.NAMESPACE,
            endpointInterface = "perfstudies.foreign.Shop")
    public static final class Wrapped extends Desk implements Shop {
    }

    /** The same over SOAP 1.2. */
    @WebService(serviceName = "Shop", portName = "ShopPort", targetNamespace = Shop.NAMESPACE,
            endpointInterface = "perfstudies.foreign.Shop")
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    public static final class Wrapped12 extends Desk implements Shop {
    }

    /** Document/literal bare over SOAP 1.1. */
    @WebService(serviceName = "Shop", portName = "ShopPort", targetNamespace = Shop.NAMESPACE,
            endpointInterface = "perfstudies.foreign.BareShop")
    public static final class Bare extends Desk implements BareShop {
    }

    /** The same over SOAP 1.2. */
    @WebService(serviceName = "Shop", portName = "ShopPort", targetNamespace = Shop.NAMESPACE,
            endpointInterface = "perfstudies.foreign.BareShop")
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    public static final class Bare12 extends Desk implements BareShop {
    }

    /** Rpc/literal over SOAP 1.1. */
    @WebService(serviceName = "Shop", portName = "ShopPort", targetNamespace = Shop.NAMESPACE,
            endpointInterface = "perfstudies.foreign.RpcShop")
    public static final class Rpc extends Desk implements RpcShop {
    }

    /** A service in another name space than its port type: its description imports that of the port type. */
    @WebService(serviceName = "Branch", portName = "BranchPort", targetNamespace = "urn:foreign:branch",
            endpointInterface = "perfstudies.foreign.Shop")
    public static final class Imported extends Desk implements Shop {
    }
}
