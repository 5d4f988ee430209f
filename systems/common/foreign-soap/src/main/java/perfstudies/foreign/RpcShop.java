package perfstudies.foreign;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;

/** The service in the style rpc/literal. */
@WebService(name = "Shop", targetNamespace = Shop.NAMESPACE)
@SOAPBinding(style = SOAPBinding.Style.RPC)
public interface RpcShop {

    @WebMethod
    @WebResult(name = "receipt")
    Receipt order(@WebParam(name = "order") Order order);

    @WebMethod
    @WebResult(name = "text")
    String echo(@WebParam(name = "text") String text);

    @WebMethod
    @WebResult(name = "receipt")
    Receipt refuse(@WebParam(name = "reason") String reason) throws Refused;

    @WebMethod
    @WebResult(name = "text")
    String fail(@WebParam(name = "text") String text);
}
