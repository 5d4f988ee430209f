package perfstudies.monitor;

/**
 * Collects the time that one request spends in each layer of a system.
 *
 * <p>An interception point calls {@link #enter} when control comes into its layer and {@link #exit} when it leaves.
 * A layer may be entered again while it is open: its time counts from the outermost enter to the matching exit.
 * All calls belong to the calling thread's current request.
 */
public interface Monitor extends AutoCloseable {

    /**
     * The monitor that measures nothing. Its methods are empty and allocate nothing, so that the compiler removes
     * calls to it: a system holds its monitor in a final field and never asks whether monitoring is on.
     */
    Monitor OFF = new OffMonitor();

    /** Control comes into the layer. The first layer entered by a thread opens the record of a request. */
    void enter(String tag);

    /** Control leaves the layer. The exit of the layer that opened the record ends and writes it. */
    void exit(String tag);

    /** Notes a fact about the current request with a layer, such as the name of the operation. */
    void context(String tag, String key, String value);

    /** Ends monitoring: files are closed, records still open are dropped. */
    @Override
    void close();
}
