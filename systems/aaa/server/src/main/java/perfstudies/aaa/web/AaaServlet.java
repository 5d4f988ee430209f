package perfstudies.aaa.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.Engine;
import perfstudies.aaa.log.MessageLog;
import perfstudies.aaa.log.RequestRecord;
import perfstudies.aaa.soap.Soap;
import perfstudies.aaa.soap.Wsdl;

/**
 * The AAA server's address: SOAP requests by POST, the description by GET with {@code ?wsdl}.
 *
 * <p>As in the study, the time between the call into the EJB container and its return goes back in the response header
 * SOAPAction, here with microseconds.
 */
@WebServlet(urlPatterns = "/server", loadOnStartup = 1)
public class AaaServlet extends HttpServlet {

    /** The servlet context's attribute with the engine, where JNDI has none for servlets. */
    public static final String ENGINE = "aaa.engine";
    private static final String ENGINE_BEAN = "java:module/RuleBasedEngine";
    private static final String EJB_TIME = "SOAPAction";
    private static final long serialVersionUID = 1L;

    private transient Deployment deployment;
    private transient Endpoint endpoint;
    private transient Wsdl wsdl;

    @Override
    public void init() throws ServletException {
        String given = getServletContext().getInitParameter(Deployment.CONFIG);
        deployment = Deployment.open(given == null ? System.getProperty(Deployment.CONFIG) : given);
        try {
            Engine engine = engine();
            engine.prepare();
            endpoint = new Endpoint(deployment, engine);
            wsdl = new Wsdl(AaaServlet.class.getResource("aaa.wsdl"), AaaServlet.class.getResource("aaa.xsd"));
        } catch (NamingException | Refusal | IOException | RuntimeException e) {
            destroy();
            throw new ServletException("the AAA server cannot start: " + e.getMessage(), e);
        }
    }

    private Engine engine() throws NamingException {
        Object engine = getServletContext().getAttribute(ENGINE);
        return (Engine) (engine == null ? new InitialContext().lookup(ENGINE_BEAN) : engine);
    }

    @Override
    public void destroy() {
        try {
            deployment.close();
        } catch (IOException e) {
            log("the logs were not closed well", e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!"wsdl".equalsIgnoreCase(request.getQueryString())) {
            response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "POST a SOAP request, or GET ?wsdl");
            return;
        }
        send(response, wsdl.at(request.getRequestURL().toString()));
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        endpoint.answer(request.getHeader(RequestRecord.REQUEST_HEADER), request.getHeader(MessageLog.PARTY_HEADER),
                request.getInputStream(), (status, ejbMs, message) -> {
                    response.setStatus(status);
                    if (ejbMs != null) {
                        response.setHeader(EJB_TIME, ejbMs);
                    }
                    send(response, message);
                });
    }

    private static void send(HttpServletResponse response, byte[] message) throws IOException {
        response.setContentType(Soap.CONTENT_TYPE);
        response.setContentLength(message.length);
        response.getOutputStream().write(message);
        response.flushBuffer();
    }
}
