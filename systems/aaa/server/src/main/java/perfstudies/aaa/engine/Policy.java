package perfstudies.aaa.engine;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A driving policy.
 *
 * @param type what requests call it by
 * @param version the version of requests that it is for
 * @param conditions all must hold, and are evaluated in this order until one does not
 * @param actions what is done then, in this order, until one does not succeed
 */
public record Policy(String type, String version, List<Step> conditions, List<Step> actions) {

    /** One condition or action. */
    public sealed interface Step permits Present, Compare, CallModule, Return {
    }

    /** The request has the argument. */
    public record Present(String argument) implements Step {
    }

    /** The argument compares to a value as it should. Numbers are compared as numbers. */
    public record Compare(String argument, Operator operator, String value) implements Step {
    }

    /** How an argument may compare to a value; the policy writes it in small letters and with hyphens. */
    public enum Operator {
        EQUAL, AT_LEAST, AT_MOST
    }

    /**
     * The module answers yes.
     *
     * @param parameters the module's parameters, each by the name of the argument or result it comes from
     * @param optional the parameters that are left out if there is no such argument
     * @param result under which name the module's value is kept; null if it is not
     */
    public record CallModule(String module, Map<String, String> parameters, Set<String> optional,
            String result) implements Step {
    }

    /**
     * Adds to the reply; always holds.
     *
     * @param value the argument or result whose value the reply gets in the element of this name; null for none
     * @param message a text for the user; null for none
     */
    public record Return(String value, String message) implements Step {
    }
}
