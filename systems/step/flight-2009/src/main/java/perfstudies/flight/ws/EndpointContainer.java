package perfstudies.flight.ws;

import com.sun.xml.ws.api.server.BoundEndpoint;
import com.sun.xml.ws.api.server.Container;
import com.sun.xml.ws.api.server.Module;
import java.util.ArrayList;
import java.util.List;

/** What the JAX-WS runtime wants to know of the program around it: where to note the endpoints that it published. */
final class EndpointContainer extends Container {

    private final Module module = new Module() {

        private final List<BoundEndpoint> endpoints = new ArrayList<>();

        @Override
        public List<BoundEndpoint> getBoundEndpoints() {
            return endpoints;
        }
    };

    @Override
    public <S> S getSPI(Class<S> type) {
        return type == Module.class ? type.cast(module) : null;
    }
}
