package perfstudies.aaa.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import perfstudies.aaa.Deployment;
import perfstudies.aaa.log.MessageLog;

/** Names sessions and writes them down when they end. */
final class SessionManager {

    private SessionManager() {
    }

    /** A new session's name; a request that another party sends in its session goes on with that. */
    static String begin(Deployment deployment, AaaRequest request) {
        deployment.counters().sessions.increment();
        long number = deployment.counters().nextSession();
        return request.session().isEmpty() ? deployment.messages().party() + "-" + number : request.session();
    }

    /** Logs a session that ends now, with its answer or the name of its fault. */
    static void end(Call call, AaaRequest request, String answer) {
        long nowUs = MessageLog.nowUs();
        try {
            call.deployment().sessionLog().line(nowUs, call.session(), call.record().client(),
                    call.record().number(), request.type(), request.arguments().getOrDefault("User", ""), answer,
                    nowUs - call.record().enteredUs());
        } catch (IOException e) {
            throw new UncheckedIOException("the session log cannot be written", e);
        }
    }
}
