package perfstudies.aaa.modules;

import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.util.Map;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.Settings;
import perfstudies.aaa.engine.Call;
import perfstudies.aaa.ticket.KeyFiles;
import perfstudies.aaa.ticket.Ticket;

/** The push sequence: signs a ticket by which {@code user} gets {@code bandwidth} Mbit/s of {@code service}. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class TicketModule implements ApplicationModule {

    private Path keyFile;
    private PrivateKey key;

    @Override
    public Outcome perform(Map<String, String> parameters, Call call) throws Refusal {
        Settings settings = call.deployment().settings();
        Path file = settings.path("ticket.key");
        if (file == null) {
            throw new Refusal(FaultName.ServerFailed, "the setting ticket.key is missing");
        }
        try {
            if (!file.equals(keyFile)) {
                key = KeyFiles.readPrivate(file);
                keyFile = file;
            }
            return Outcome.yes(Ticket.issue(parameters.get("user"), parameters.get("service"),
                    Integer.parseInt(parameters.get("bandwidth")), call.session(),
                    System.currentTimeMillis() + settings.large("ticket.lifetime_ms")).sign(key));
        } catch (IOException | GeneralSecurityException e) {
            throw new Refusal(FaultName.ServerFailed, "no ticket can be signed: " + e.getMessage(), e);
        }
    }
}
