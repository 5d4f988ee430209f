package perfstudies.flight.extension;

/** A call into a layer, with the one checked exception that it may end with. */
@FunctionalInterface
public interface Call<R, X extends Exception> {

    R run() throws X;
}
