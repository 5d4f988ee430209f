package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static perfstudies.esb.synapse.Messages.echo;
import static perfstudies.esb.synapse.Messages.envelope;

import org.junit.jupiter.api.Test;

class NhttpRelayTest extends EngineTest {

    NhttpRelayTest() {
        super("transport=nhttp-relay\n");
    }

    @Test
    void aMessageIsRelayedAsItsBytes() throws Exception {
        String message = envelope("", echo("IBM")).replace("<e:padding>x</e:padding>", "<e:padding ></e:padding>");
        assertEquals(message.replace("e:echo", "e:echoResponse"), send("DirectProxy", message).body());
        assertEquals(message, received());
    }
}
