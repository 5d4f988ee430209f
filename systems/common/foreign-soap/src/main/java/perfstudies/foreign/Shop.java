package perfstudies.foreign;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;

/** The service in the style document/literal, wrapped. */
@WebService(name = "Shop", targetNamespace = Shop.NAMESPACE)
public interface Shop {

    String NAMESPACE = "urn:foreign:shop";

    /** Returns what an order comes to. */
    @WebMethod
    @WebResult(name = "receipt")
    Receipt order(@WebParam(name = "order") Order order);

    /** Returns its argument. */
    @WebMethod
    @WebResult(name = "text")
    String echo(@WebParam(name = "text") String text);

    /** Always answers with the fault that it declares. */
    @WebMethod
    @WebResult(name = "receipt")
    Receipt refuse(@WebParam(name = "reason") String reason) throws Refused;

    /** Always answers with a fault that nobody declared. */
    @WebMethod
    @WebResult(name = "text")
    String fail(@WebParam(name = "text") String text);
}
