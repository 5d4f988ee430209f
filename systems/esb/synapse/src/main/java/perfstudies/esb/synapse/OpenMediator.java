package perfstudies.esb.synapse;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.xml.stream.XMLStreamException;
import org.apache.axiom.om.OMException;
import org.apache.axiom.om.OMXMLBuilderFactory;
import org.apache.synapse.MessageContext;
import org.apache.synapse.SynapseException;
import org.apache.synapse.mediators.AbstractMediator;
import perfstudies.esb.security.InsecureMessageException;
import perfstudies.esb.security.Keyring;

/**
 * Checks a secured request and puts the plain one in its place. A property of the message tells of one that is not
 * secure: an exception would do so, too, but write a page of the log for each.
 */
public final class OpenMediator extends AbstractMediator {

    /** The property of the server's context that has the {@link Keyring}. */
    static final String KEYRING = "perfstudies.keyring";

    /** The property of a message that has what is wrong with it. */
    private static final String INSECURE = "insecure";

    @Override
    public boolean mediate(MessageContext message) {
        Keyring keyring = (Keyring) message.getEnvironment().getServerContextInformation().getProperty(KEYRING);
        try {
            ByteArrayOutputStream secured = new ByteArrayOutputStream();
            message.getEnvelope().serialize(secured);
            byte[] plain = keyring.security().open(secured.toByteArray());
            message.setEnvelope(OMXMLBuilderFactory.createSOAPModelBuilder(new ByteArrayInputStream(plain), "UTF-8")
                    .getSOAPEnvelope());
        } catch (InsecureMessageException e) {
            message.setProperty(INSECURE, e.getMessage());
        } catch (XMLStreamException | OMException | IOException e) {
            throw new SynapseException(e.getMessage(), e);
        }
        return true;
    }

    @Override
    public boolean isContentAware() {
        return true;
    }
}
