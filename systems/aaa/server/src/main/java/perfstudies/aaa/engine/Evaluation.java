package perfstudies.aaa.engine;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.modules.ApplicationModule;

/** One request being decided: conditions in order until one does not hold, then actions in order. */
final class Evaluation {

    private final AaaRequest request;
    private final Call call;
    private final Map<String, ApplicationModule> modules;
    private final Map<String, String> values;
    private final List<String> messages = new ArrayList<>();
    private final Map<String, String> returned = new LinkedHashMap<>();

    Evaluation(AaaRequest request, Call call, Map<String, ApplicationModule> modules) {
        this.request = request;
        this.call = call;
        this.modules = modules;
        this.values = new HashMap<>(request.arguments());
    }

    AaaReply decide(Policy policy) throws Refusal {
        if (!policy.version().equals(request.version())) {
            throw new Refusal(FaultName.UnknownPolicy, "policy " + policy.type() + " is for requests of version "
                    + policy.version() + ", and this one is of " + request.version());
        }
        boolean granted = all(policy.conditions()) && all(policy.actions());
        return new AaaReply(request, call.session(), granted, List.copyOf(messages), Map.copyOf(returned));
    }

    private boolean all(List<Policy.Step> steps) throws Refusal {
        for (Policy.Step step : steps) {
            if (!holds(step)) {
                return false;
            }
        }
        return true;
    }

    private boolean holds(Policy.Step step) throws Refusal {
        if (step instanceof Policy.Present present) {
            return values.containsKey(present.argument()) || no(present.argument() + " is missing");
        }
        if (step instanceof Policy.Compare compare) {
            String value = value(compare.argument());
            return compares(compare, value) || no(compare.argument() + " is " + value + ", and must be "
                    + compare.operator().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " "
                    + compare.value());
        }
        if (step instanceof Policy.CallModule module) {
            return call(module);
        }
        Policy.Return addition = (Policy.Return) step;
        if (addition.value() != null) {
            returned.put(addition.value(), value(addition.value()));
        }
        if (addition.message() != null) {
            messages.add(addition.message());
        }
        return true;
    }

    private boolean no(String message) {
        messages.add(message);
        return false;
    }

    private static boolean compares(Policy.Compare compare, String value) throws Refusal {
        if (compare.operator() == Policy.Operator.EQUAL) {
            return value.equals(compare.value());
        }
        int order = number(compare.argument(), value).compareTo(new BigDecimal(compare.value()));
        return compare.operator() == Policy.Operator.AT_LEAST ? order >= 0 : order <= 0;
    }

    private static BigDecimal number(String name, String value) throws Refusal {
        try {
            return new BigDecimal(value);
        } catch (NumberFormatException e) {
            throw new Refusal(FaultName.BadRequest, name + " is " + value + ", which is no number", e);
        }
    }

    private boolean call(Policy.CallModule step) throws Refusal {
        ApplicationModule module = modules.get(step.module());
        if (module == null) {
            throw new Refusal(FaultName.BadPolicy, "policy " + request.type() + " calls the unknown module "
                    + step.module());
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (Map.Entry<String, String> parameter : step.parameters().entrySet()) {
            if (values.containsKey(parameter.getValue()) || !step.optional().contains(parameter.getKey())) {
                parameters.put(parameter.getKey(), value(parameter.getValue()));
            }
        }
        ApplicationModule.Outcome outcome = module.perform(parameters, call);
        if (outcome.message() != null) {
            messages.add(outcome.message());
        }
        if (step.result() != null && outcome.value() != null) {
            values.put(step.result(), outcome.value());
        }
        return outcome.holds();
    }

    private String value(String name) throws Refusal {
        String value = values.get(name);
        if (value == null) {
            throw new Refusal(FaultName.BadRequest, "policy " + request.type() + " needs " + name);
        }
        return value;
    }
}
