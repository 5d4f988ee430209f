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
import perfstudies.aaa.equipment.Equipment;
import perfstudies.aaa.soap.SoapFault;
import perfstudies.aaa.soap.Xml;

/** Bandwidth on demand: reserves {@code bandwidth} Mbit/s for {@code user} on the service equipment. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class BandwidthModule implements ApplicationModule {

    @Override
    public Outcome perform(Map<String, String> parameters, Call call) throws Refusal {
        String address = call.deployment().settings().text("equipment");
        if (address.isEmpty()) {
            throw new Refusal(FaultName.EquipmentFailed, "the setting equipment is missing");
        }
        String content = "<SE:Reserve xmlns:SE=\"" + Equipment.NAMESPACE + "\">"
                + Xml.element("User", parameters.get("user"))
                + Xml.element("Bandwidth", parameters.get("bandwidth"))
                + Xml.element("Duration", parameters.get("duration"))
                + Xml.element("Session", call.session()) + "</SE:Reserve>";
        try {
            Element reply = call.deployment().soapClient().call(address, "equipment", "Reserve", content,
                    call.session());
            return outcome(reply);
        } catch (IOException | SoapFault e) {
            throw new Refusal(FaultName.EquipmentFailed, "the service equipment failed: " + e.getMessage(), e);
        }
    }

    private static Outcome outcome(Element reply) throws Refusal {
        String answer = Xml.text(reply, "Answer");
        return switch (answer) {
            case "yes" -> Outcome.yes(Xml.text(reply, "Reservation"));
            case "no" -> Outcome.no(Xml.text(reply, "Message"));
            default -> throw new Refusal(FaultName.EquipmentFailed,
                    "the service equipment answered " + reply.getLocalName() + " " + answer);
        };
    }
}
