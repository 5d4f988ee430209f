package perfstudies.monitor;

/**
 * Collects the time that one request spends in each layer of a system.
 *
 * <p>An interception point calls {@link #enter} when control comes into its layer and {@link #exit} when it leaves.
 * A layer may be entered again while it is open.
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

    /**
     * Whether the monitor takes an enter into a layer that is open as part of the same visit. One that does not records
     * every pair of calls as a time of its own, so it must be told of the parts of a layer only, not of the whole.
     */
    default boolean tracksNesting() {
        return true;
    }

    /** Ends monitoring: files are closed, records still open are dropped. */
    @Override
    void close();
}
