package perfstudies.esb.synapse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static perfstudies.esb.synapse.Messages.echo;
import static perfstudies.esb.synapse.Messages.envelope;

import org.junit.jupiter.api.Test;

class NhttpTest extends ProxiesTest {

    NhttpTest() {
        super("transport=nhttp\nthreads=tuned\n");
    }

    @Test
    void theMessageIsBuilt() throws Exception {
        String message = envelope("", echo("IBM")).replace("<e:padding>x</e:padding>", "<e:padding ></e:padding>");
        assertEquals(200, send("DirectProxy", message).statusCode());
        String received = received();
        assertTrue(received.contains("<e:padding/>"), received);
    }
}
