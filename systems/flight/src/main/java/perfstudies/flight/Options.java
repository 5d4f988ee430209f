package perfstudies.flight;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Options of a command, each a name and a value. */
final class Options {

    private final Map<String, String> values = new HashMap<>();

    /** Takes exactly the options that are allowed, in any order. */
    Options(List<String> arguments, List<String> allowed) throws UsageException {
        String allowedText = ", allowed: " + String.join(", ", allowed);
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i);
            if (!allowed.contains(name)) {
                throw new UsageException("unknown option " + name + allowedText);
            }
            if (i + 1 == arguments.size()) {
                throw new UsageException("option " + name + " needs a value");
            }
            if (values.put(name, arguments.get(i + 1)) != null) {
                throw new UsageException("option " + name + " comes twice");
            }
        }
        for (String name : allowed) {
            if (!values.containsKey(name)) {
                throw new UsageException("option " + name + " is missing" + allowedText);
            }
        }
    }

    String get(String name) {
        return values.get(name);
    }
}
