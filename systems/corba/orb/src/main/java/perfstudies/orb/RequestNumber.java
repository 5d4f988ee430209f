package perfstudies.orb;

import java.nio.ByteBuffer;
import org.omg.IOP.ServiceContext;

/**
 * The number by which client and server know a request. It travels in a service context, which the server can read at
 * every place where it sees a request, before the arguments and without touching them.
 */
public final class RequestNumber {

    /** A request that has none, or is no part of the measurement. */
    public static final int NONE = -1;
    /** The letters PERF; the numbers below 4096 are the OMG's. */
    public static final int CONTEXT_ID = 0x50455246;

    private RequestNumber() {
    }

    public static ServiceContext context(int number) {
        return new ServiceContext(CONTEXT_ID, ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }

    /** The number in one of these contexts, or {@link #NONE}. */
    public static int of(ServiceContext[] contexts) {
        for (ServiceContext context : contexts) {
            if (context.context_id == CONTEXT_ID) {
                return of(context);
            }
        }
        return NONE;
    }

    public static int of(ServiceContext context) {
        return context.context_data.length == Integer.BYTES ? ByteBuffer.wrap(context.context_data).getInt() : NONE;
    }
}
