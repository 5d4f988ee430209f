package perfstudies.esb.synapse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Messages of the study, and how they are sent. */
final class Messages {

    static final String ROUTING = "xadmin;server1;community#1.0##";

    private Messages() {
    }

    static String envelope(String header, String body) {
        return "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Header>" + header
                + "</s:Header><s:Body>" + body + "</s:Body></s:Envelope>";
    }

    static String routing(String value) {
        return "<r:routing xmlns:r=\"http://perfstudies/esb/routing\">" + value + "</r:routing>";
    }

    static String echo(String symbol) {
        return orders("echo", "order", symbol);
    }

    static String orders(String name, String each, String symbol) {
        return "<e:" + name + " xmlns:e=\"http://perfstudies/esb\"><e:" + each + "><e:symbol>" + symbol
                + "</e:symbol><e:buyer>me</e:buyer><e:price>1.50</e:price><e:volume>7</e:volume></e:" + each
                + "><e:padding>x</e:padding></e:" + name + ">";
    }

    static HttpResponse<String> send(String address, String message, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(120))
                .header("Content-Type", "text/xml; charset=UTF-8").header("SOAPAction", "\"urn:echo\"")
                .POST(HttpRequest.BodyPublishers.ofString(message));
        if (headers.length > 0) {
            request.headers(headers);
        }
        // A connection of its own: after a refusal the engine may close one that another call would take.
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
