package perfstudies.flight.extension;

/** Something that is done round every call into a layer. The name is that of the service or the operation. */
public interface Interceptor {

    /** Before the call; an exception here prevents the call. */
    default void before(String name) {
    }

    /** After a call that returned; not after one that failed. */
    default void after(String name) {
    }

    /** After the call however it ended, provided that this interceptor's {@link #before} returned. */
    default void finallyAfter(String name) {
    }
}
