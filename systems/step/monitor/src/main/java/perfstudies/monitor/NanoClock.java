package perfstudies.monitor;

/** A source of monotonic nanoseconds: {@link System#nanoTime} in a system, a list of numbers in a test. */
@FunctionalInterface
public interface NanoClock {

    long nanoTime();
}
