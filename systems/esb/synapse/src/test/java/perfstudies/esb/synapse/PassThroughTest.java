package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static perfstudies.esb.synapse.Messages.echo;
import static perfstudies.esb.synapse.Messages.envelope;

import org.junit.jupiter.api.Test;

class PassThroughTest extends ProxiesTest {

    PassThroughTest() {
        super("transport=passthru\n");
    }

    @Test
    void theMessageIsNotEvenRead() throws Exception {
        String message = envelope("", echo("IBM")).replace("<e:padding>x</e:padding>", "<e:padding ></e:padding>");
        assertEquals(message.replace("e:echo", "e:echoResponse"), send("DirectProxy", message).body());
        assertEquals(message, received());
        send("DirectProxy", "no XML");
        assertEquals("no XML", received());
    }
}
