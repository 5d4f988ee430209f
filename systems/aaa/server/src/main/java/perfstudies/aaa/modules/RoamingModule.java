package perfstudies.aaa.modules;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.io.IOException;
import java.util.Map;
import org.w3c.dom.Element;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.soap.AaaMessages;
import perfstudies.aaa.soap.SoapFault;
import perfstudies.aaa.soap.Xml;

/** Roaming: asks the AAA server of the service's provider, whose policy {@value #POLICY} reserves bandwidth. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class RoamingModule implements ApplicationModule {

    private static final String POLICY = "BoDpolicy01";

    @Override
    public Outcome perform(Map<String, String> parameters, Call call) throws Refusal {
        String address = call.deployment().settings().text("roaming.provider");
        if (address.isEmpty()) {
            throw new Refusal(FaultName.ProviderFailed, "the setting roaming.provider is missing");
        }
        String content = AaaMessages.request(POLICY, parameters.get("user"), parameters.get("bandwidth"),
                parameters.get("duration"), call.session());
        try {
            Element reply = call.deployment().soapClient().call(address, "provider", "AAARequest", content,
                    call.session());
            return AaaMessages.granted(reply) ? Outcome.yes(Xml.text(reply, "Reservation"))
                    : Outcome.no(Xml.text(reply, "Message"));
        } catch (IOException | SoapFault e) {
            throw new Refusal(FaultName.ProviderFailed, "the provider's AAA server failed: " + e.getMessage(), e);
        }
    }
}
