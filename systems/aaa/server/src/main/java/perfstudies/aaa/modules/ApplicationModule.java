package perfstudies.aaa.modules;

import jakarta.ejb.Local;
import java.util.Map;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.Call;

/** The engine's way to the world outside, of which it only wants to know yes or no. */
@Local
public interface ApplicationModule {

    /**
     * A module's answer.
     *
     * @param holds yes or no
     * @param value what it found, for later steps of the policy and the reply; null for nothing
     * @param message a text for the user; null for none
     */
    record Outcome(boolean holds, String value, String message) {

        static Outcome yes(String value) {
            return new Outcome(true, value, null);
        }

        static Outcome no(String message) {
            return new Outcome(false, null, message);
        }
    }

    Outcome perform(Map<String, String> parameters, Call call) throws Refusal;
}
