package perfstudies.esb.reliable;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;

/** What the server does for its clients: it applies numbered messages to its database. */
@WebService(name = "Ledger", targetNamespace = Ledger.NAMESPACE)
public interface Ledger {

    String NAMESPACE = "http://perfstudies/esb/reliable";

    /** Applies a message and answers its number. */
    @WebMethod(action = "urn:apply")
    @WebResult(name = "number")
    long apply(@WebParam(name = "number") long number, @WebParam(name = "text") String text);

    /** Applies a message; the caller is only told that it was taken. */
    @Oneway
    @WebMethod(action = "urn:post")
    void post(@WebParam(name = "number") long number, @WebParam(name = "text") String text);
}
