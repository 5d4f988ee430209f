package perfstudies.foreign;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;

/** The service in the style document/literal, bare: each message is one element. */
@WebService(name = "Shop", targetNamespace = Shop.NAMESPACE)
@SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
public interface BareShop {

    @WebMethod
    @WebResult(name = "receipt", targetNamespace = Shop.NAMESPACE)
    Receipt order(@WebParam(name = "order", targetNamespace = Shop.NAMESPACE) Order order);

    @WebMethod
    @WebResult(name = "echoed", targetNamespace = Shop.NAMESPACE)
    String echo(@WebParam(name = "echo", targetNamespace = Shop.NAMESPACE) String text);

    @WebMethod
    @WebResult(name = "refused", targetNamespace = Shop.NAMESPACE)
    Receipt refuse(@WebParam(name = "refuse", targetNamespace = Shop.NAMESPACE) String reason) throws Refused;

    @WebMethod
    @WebResult(name = "failed", targetNamespace = Shop.NAMESPACE)
    String fail(@WebParam(name = "fail", targetNamespace = Shop.NAMESPACE) String text);
}
