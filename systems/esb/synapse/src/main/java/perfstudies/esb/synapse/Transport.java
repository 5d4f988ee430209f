package perfstudies.esb.synapse;

import java.util.Map;

/**
 * The two HTTP transports that Synapse has, the older one with a relay too, and the sizes of their pools of threads.
 *
 * <p>The default sizes are those in their code, which hold where no file says otherwise. The tuned sizes are those of
 * WSO2's guides to performance tuning, for as many products as have these transports: for NHTTP, which the ESB of 2012
 * had, 200 threads instead of 20 on either side (lst_t_core, snd_t_core; at most 250 instead of 100), and for the
 * pass-through transport 400 instead of 40 (worker_pool_size_core; at most 500 instead of 200), and buffers of 16 KB
 * instead of 8. These last became what later versions of WSO2 ESB, and of Synapse, are shipped with.
 *
 * <p>The queues before the pools have no limit, as by default, so that a pool never grows beyond its core. The threads
 * that wait for input and output are as many as there are processors, in both settings: the guides say so, too.
 */
enum Transport {

    /**
     * Passes bytes on while they come, and builds a message only for a mediator that looks into it.
     *
     * <p>When many requests come at once it opens more connections to the back end than it needs, and never uses some
     * of them again: up to twice as many as it has clients were seen. The back end must bear them.
     */
    PASSTHRU("passthru-http.properties", "org.apache.synapse.transport.passthru.PassThroughHttpListener",
            "org.apache.synapse.transport.passthru.PassThroughHttpSender",
            "org.apache.synapse.transport.passthru.api.PassThroughNHttpGetProcessor",
            "", "org.apache.axis2.transport.http.SOAPMessageFormatter",
            Map.of("worker_pool_size_core", "40", "worker_pool_size_max", "200", "io_buffer_size", "8192"),
            Map.of("worker_pool_size_core", "400", "worker_pool_size_max", "500", "io_buffer_size", "16384")),

    /** Its predecessor, which builds every message. */
    NHTTP("nhttp.properties", "org.apache.synapse.transport.nhttp.HttpCoreNIOListener",
            "org.apache.synapse.transport.nhttp.HttpCoreNIOSender",
            "org.apache.synapse.transport.nhttp.DefaultHttpGetProcessor",
            "", "org.apache.axis2.transport.http.SOAPMessageFormatter", Nhttp.BY_DEFAULT, Nhttp.TUNED),

    /** The same with the "binary relay" that WSO2 ESB had: a message is kept as bytes, and nothing looks into it. */
    NHTTP_RELAY("nhttp.properties", "org.apache.synapse.transport.nhttp.HttpCoreNIOListener",
            "org.apache.synapse.transport.nhttp.HttpCoreNIOSender",
            "org.apache.synapse.transport.nhttp.DefaultHttpGetProcessor",
            "<messageBuilders><messageBuilder contentType=\"text/xml\""
                    + " class=\"org.apache.synapse.transport.passthru.util.BinaryRelayBuilder\"/></messageBuilders>",
            "org.apache.synapse.transport.passthru.util.ExpandingMessageFormatter", Nhttp.BY_DEFAULT, Nhttp.TUNED);

    private static final class Nhttp {

        static final Map<String, String> BY_DEFAULT =
                Map.of("lst_t_core", "20", "lst_t_max", "100", "snd_t_core", "20", "snd_t_max", "100");
        static final Map<String, String> TUNED =
                Map.of("lst_t_core", "200", "lst_t_max", "250", "snd_t_core", "200", "snd_t_max", "250");
    }

    private final String file;
    private final String receiver;
    private final String sender;
    private final String getProcessor;
    private final String builders;
    private final String formatter;
    private final Map<String, String> byDefault;
    private final Map<String, String> tuned;

    Transport(String file, String receiver, String sender, String getProcessor, String builders, String formatter,
            Map<String, String> byDefault, Map<String, String> tuned) {
        this.file = file;
        this.receiver = receiver;
        this.sender = sender;
        this.getProcessor = getProcessor;
        this.builders = builders;
        this.formatter = formatter;
        this.byDefault = byDefault;
        this.tuned = tuned;
    }

    /** The name of the file in which the transport looks for its properties. */
    String file() {
        return file;
    }

    String receiver() {
        return receiver;
    }

    String sender() {
        return sender;
    }

    String getProcessor() {
        return getProcessor;
    }

    /** What makes messages of bytes, as an element of the configuration; nothing for Axis2's own. */
    String builders() {
        return builders;
    }

    /** The class that makes bytes of messages. */
    String formatter() {
        return formatter;
    }

    Map<String, String> threads(boolean isTuned) {
        return isTuned ? tuned : byDefault;
    }
}
