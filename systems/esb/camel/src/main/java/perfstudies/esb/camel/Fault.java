package perfstudies.esb.camel;

import java.nio.charset.StandardCharsets;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Processor;

/**
 * Answers with a SOAP fault that says what the exception says, which is all that a client hears of it.
 *
 * @param status the HTTP status
 * @param code whose fault it is: Client or Server
 * @param prefix what the text begins with
 */
record Fault(int status, String code, String prefix) implements Processor {

    static final String CONTENT_TYPE = "text/xml; charset=UTF-8";

    /** The message is wrong. */
    static final Fault MESSAGE = new Fault(500, "Client", "");
    /** The message may be right, and the engine failed. */
    static final Fault ENGINE = new Fault(500, "Server", "the engine failed: ");
    /** The back end is not there, or went away, or does not answer in time. */
    static final Fault BACK_END = new Fault(502, "Server", "the back end does not answer: ");

    @Override
    public void process(Exchange exchange) {
        Exception exception = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Exception.class);
        String said = exception.getMessage() == null ? exception.getClass().getSimpleName() : exception.getMessage();
        Message message = exchange.getMessage();
        // Else the request's headers would go back to the client.
        message.removeHeaders("*");
        message.setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        message.setHeader(Exchange.CONTENT_TYPE, CONTENT_TYPE);
        message.setBody(text(prefix + said).getBytes(StandardCharsets.UTF_8));
    }

    private String text(String reason) {
        return "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"><soapenv:Body>"
                + "<soapenv:Fault><faultcode>soapenv:" + code + "</faultcode><faultstring>" + escaped(reason)
                + "</faultstring></soapenv:Fault></soapenv:Body></soapenv:Envelope>";
    }

    /** A reason may quote the message, with characters that no XML may have. */
    private static String escaped(String reason) {
        return reason.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replaceAll("[^\\u0009\\u000A\\u0020-\\uD7FF\\uE000-\\uFFFD]", "?");
    }
}
