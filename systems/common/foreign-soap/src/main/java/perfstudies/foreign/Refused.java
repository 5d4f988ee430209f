package perfstudies.foreign;

import jakarta.xml.ws.WebFault;

/** A fault that the description declares. */
@WebFault(name = "refusal", targetNamespace = Shop.NAMESPACE)
public class Refused extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Refusal detail;

    public Refused(String message, Refusal detail) {
        super(message);
        this.detail = detail;
    }

    public Refusal getFaultInfo() {
        return detail;
    }
}
