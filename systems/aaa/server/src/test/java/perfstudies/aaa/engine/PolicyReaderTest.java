package perfstudies.aaa.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.repository.Populate;

class PolicyReaderTest {

    private static final String START = "<Policy xmlns=\"http://www.AAA.org/ns/AAA_Policy\" type=\"P\" version=\"1\">";

    @Test
    void allPoliciesOfTheRepositoryButOneAreGood() throws Exception {
        Map<String, String> policies = Populate.policies();
        assertEquals(Set.of("SNBpolicy01", "BoDpolicy01", "Pull01", "Roaming01", "Ticket01", "Malformed01",
                "Conditions1", "Conditions10", "Conditions100", "Conditions1000"), policies.keySet());
        for (String type : policies.keySet()) {
            if (!type.equals("Malformed01")) {
                assertEquals(type, PolicyReader.read(type, policies.get(type)).type());
            }
        }
        refused("Malformed01", policies.get("Malformed01"), "policy Malformed01 cannot be read: line");
    }

    @Test
    void theStudysPolicyChecksTheTimerAndThenStartsIt() throws Exception {
        Policy policy = PolicyReader.read("SNBpolicy01", Populate.policies().get("SNBpolicy01"));
        assertEquals(List.of(new Policy.Compare("TimerCondition", Policy.Operator.AT_LEAST, "1"),
                new Policy.CallModule("timer", Map.of("units", "TimerCondition"), Set.of(), null)),
                policy.conditions());
    }

    @ParameterizedTest
    @CsvSource({"1", "10", "100", "1000"})
    void complexPoliciesHaveAsManyConditionsAsTheyAreNamedFor(int number) throws Exception {
        String type = "Conditions" + number;
        assertEquals(number, PolicyReader.read(type, Populate.policies().get(type)).conditions().size());
    }

    @ParameterizedTest
    @CsvSource({
        "<Conditions><Return message=\"x\"/></Conditions><Actions/>,Return",
        "<Actions/><Conditions/>,Actions",
        "<Conditions><Compare argument=\"A\" is=\"near\" value=\"1\"/></Conditions><Actions/>,near",
        "<Conditions><Compare argument=\"A\" is=\"at-least\" value=\"much\"/></Conditions><Actions/>,much",
        "<Conditions><Present/></Conditions><Actions/>,argument",
        "<Conditions/>,not complete"})
    void aPolicyThatTheSchemaForbidsIsBad(String content, String said) {
        refused("P", START + content + "</Policy>", said);
    }

    @Test
    void aDocumentOfAnotherPolicyIsBad() {
        refused("Q", START + "<Conditions/><Actions/></Policy>", "its document is of P");
    }

    @Test
    void aDocumentTypeIsBad() {
        refused("P", "<!DOCTYPE Policy>" + START + "<Conditions/><Actions/></Policy>", "DOCTYPE");
    }

    private static void refused(String type, String document, String said) {
        Refusal e = assertThrows(Refusal.class, () -> PolicyReader.read(type, document));
        assertEquals(FaultName.BadPolicy, e.fault());
        assertTrue(e.getMessage().contains(said), e.getMessage());
    }
}
