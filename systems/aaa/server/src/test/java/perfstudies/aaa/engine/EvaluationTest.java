package perfstudies.aaa.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.modules.ApplicationModule;

class EvaluationTest {

    /** What the modules were called with, in order. */
    private final List<String> calls = new ArrayList<>();
    private final Call call = new Call(null, null);
    private final Map<String, ApplicationModule> modules = Map.of(
            "good", (parameters, passed) -> {
                calls.add("good" + parameters);
                assertEquals(call, passed);
                return new ApplicationModule.Outcome(true, "found", null);
            },
            "bad", (parameters, passed) -> {
                calls.add("bad");
                return new ApplicationModule.Outcome(false, null, "it is full");
            });

    @Test
    void conditionsComeBeforeActionsInOrder() throws Exception {
        AaaReply reply = decide("<Conditions>" + call("good", "A") + call("good", "B") + "</Conditions><Actions>"
                + call("good", "C") + "</Actions>", Map.of("A", "1", "B", "2", "C", "3"));
        assertTrue(reply.granted());
        assertEquals(List.of("good{p=1}", "good{p=2}", "good{p=3}"), calls);
    }

    @Test
    void theFirstConditionThatDoesNotHoldEndsItAll() throws Exception {
        AaaReply reply = decide("<Conditions><Call module=\"bad\"/>" + call("good", "A") + "</Conditions><Actions>"
                + call("good", "A") + "</Actions>", Map.of("A", "1"));
        assertFalse(reply.granted());
        assertEquals("no", reply.answer());
        assertEquals(List.of("bad"), calls);
        assertEquals(List.of("it is full"), reply.messages());
    }

    @Test
    void anActionThatFailsIsANoAndTheNextIsNotDone() throws Exception {
        AaaReply reply = decide("<Conditions/><Actions><Call module=\"bad\"/>" + call("good", "A") + "</Actions>",
                Map.of("A", "1"));
        assertFalse(reply.granted());
        assertEquals(List.of("bad"), calls);
    }

    @Test
    void numbersAreComparedAsNumbers() throws Exception {
        assertTrue(compare("at-least", "9", "10"));
        assertFalse(compare("at-least", "10", "9"));
        assertTrue(compare("at-least", "10", "10"));
        assertTrue(compare("at-most", "10", "9"));
        assertTrue(compare("at-most", "10", "10"));
        assertFalse(compare("at-most", "9", "10"));
        assertTrue(compare("equal", "x", "x"));
        assertFalse(compare("equal", "x", "y"));
    }

    @Test
    void aComparisonThatDoesNotHoldSaysWhich() throws Exception {
        AaaReply reply = decide("<Conditions><Compare argument=\"A\" is=\"at-most\" value=\"9\"/></Conditions>"
                + "<Actions/>", Map.of("A", "10"));
        assertEquals(List.of("A is 10, and must be at most 9"), reply.messages());
    }

    @Test
    void presenceIsACondition() throws Exception {
        String policy = "<Conditions><Present argument=\"A\"/></Conditions><Actions/>";
        assertTrue(decide(policy, Map.of("A", "")).granted());
        assertFalse(decide(policy, Map.of("B", "")).granted());
    }

    @Test
    void aModulesValueCanBeReturnedAndPassedOn() throws Exception {
        AaaReply reply = decide("<Conditions/><Actions><Call module=\"good\" result=\"Ticket\"/>"
                + call("good", "Ticket") + "<Return value=\"Ticket\" message=\"here\"/></Actions>", Map.of());
        assertEquals(Map.of("Ticket", "found"), reply.values());
        assertEquals(List.of("here"), reply.messages());
        assertEquals("good{p=found}", calls.get(1));
    }

    @Test
    void onlyAnOptionalParameterMayBeMissing() throws Exception {
        String policy = "<Conditions>" + call("good", "A") + "</Conditions><Actions/>";
        refused(FaultName.BadRequest, "policy P needs A", policy);
        decide(policy.replace("from=\"A\"", "from=\"A\" optional=\"true\""), Map.of());
        assertEquals(List.of("good{}"), calls);
    }

    @Test
    void anUnknownModuleIsThePolicysFault() {
        refused(FaultName.BadPolicy, "unknown module none",
                "<Conditions><Call module=\"none\"/></Conditions><Actions/>");
    }

    @Test
    void aComparedArgumentMustBeANumber() {
        Refusal e = assertThrows(Refusal.class, () -> compare("at-least", "1", "x"));
        assertEquals(FaultName.BadRequest, e.fault());
    }

    @Test
    void aRequestOfAnotherVersionHasNoPolicy() throws Exception {
        Policy policy = policy("<Conditions/><Actions/>");
        AaaRequest request = new AaaRequest("P", "0.2", Map.of(), "");
        Refusal e = assertThrows(Refusal.class, () -> new Evaluation(request, call, modules).decide(policy));
        assertEquals(FaultName.UnknownPolicy, e.fault());
    }

    private boolean compare(String operator, String value, String argument) throws Refusal {
        return decide("<Conditions><Compare argument=\"A\" is=\"" + operator + "\" value=\"" + value
                + "\"/></Conditions><Actions/>", Map.of("A", argument)).granted();
    }

    private void refused(FaultName fault, String said, String policy) {
        Refusal e = assertThrows(Refusal.class, () -> decide(policy, Map.of()));
        assertEquals(fault, e.fault());
        assertTrue(e.getMessage().contains(said), e.getMessage());
    }

    private AaaReply decide(String content, Map<String, String> arguments) throws Refusal {
        return new Evaluation(new AaaRequest("P", "0.1", arguments, ""), call, modules).decide(policy(content));
    }

    private static Policy policy(String content) throws Refusal {
        return PolicyReader.read("P", "<Policy xmlns=\"http://www.AAA.org/ns/AAA_Policy\" type=\"P\" version=\"0.1\">"
                + content + "</Policy>");
    }

    private static String call(String module, String argument) {
        return "<Call module=\"" + module + "\"><Parameter name=\"p\" from=\"" + argument + "\"/></Call>";
    }
}
