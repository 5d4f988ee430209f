package perfstudies.flight.extension;

import java.util.List;

/**
 * Runs calls inside the interceptors of a layer: before in the order of the list, after and finallyAfter in reverse, so
 * that interceptors nest like the calls that they surround.
 */
public final class InterceptorChain {

    private final List<Interceptor> interceptors;

    public InterceptorChain(List<Interceptor> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    public <R, X extends Exception> R run(String name, Call<R, X> call) throws X {
        int started = 0;
        Throwable failure = null;
        try {
            for (Interceptor interceptor : interceptors) {
                interceptor.before(name);
                started++;
            }
            R result = call.run();
            for (int i = started - 1; i >= 0; i--) {
                interceptors.get(i).after(name);
            }
            return result;
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            finish(name, started, failure);
        }
    }

    /** Every interceptor that started gets its turn, even if another one fails; the first failure is the one thrown. */
    private void finish(String name, int started, Throwable failure) {
        RuntimeException first = null;
        for (int i = started - 1; i >= 0; i--) {
            try {
                interceptors.get(i).finallyAfter(name);
            } catch (RuntimeException e) {
                if (failure != null) {
                    failure.addSuppressed(e);
                } else if (first != null) {
                    first.addSuppressed(e);
                } else {
                    first = e;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
