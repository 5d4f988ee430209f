package perfstudies.aaa.soap;

/** A fault that another party answered with. */
public final class SoapFault extends Exception {

    private static final long serialVersionUID = 1L;

    SoapFault(String text) {
        super(text);
    }
}
