package perfstudies.esb.camel;

import org.apache.camel.component.http.HttpComponent;
import org.apache.hc.core5.util.Timeout;

/** How messages get to the back end: on connections that stay, each message once and as it is. */
final class BackEndClient {

    private static final Timeout CONNECT = Timeout.ofSeconds(10);
    private static final Timeout ANSWER = Timeout.ofSeconds(60);

    private BackEndClient() {
    }

    static HttpComponent create() {
        HttpComponent http = new HttpComponent();
        http.setMaxTotalConnections(Threads.connections());
        http.setConnectionsPerRoute(Threads.connections());
        http.setConnectTimeout(CONNECT);
        http.setResponseTimeout(ANSWER);
        http.setCopyHeaders(false);
        http.setAutomaticRetriesDisabled(true);
        http.setRedirectHandlingDisabled(true);
        http.setContentCompressionDisabled(true);
        http.setCookieManagementDisabled(true);
        http.setAuthCachingDisabled(true);
        http.setDefaultUserAgentDisabled(true);
        return http;
    }

    /** Returns the address of a back end as Camel's routes have it. */
    static String endpoint(String backend, boolean streaming) {
        return backend + "?bridgeEndpoint=true&throwExceptionOnFailure=false&disableStreamCache=" + streaming;
    }
}
