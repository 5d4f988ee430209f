package perfstudies.esb.camel;

import perfstudies.launch.Settings;

/**
 * How many messages are under way at once. A thread of Jetty's pool takes a message, sends it on and waits for the
 * answer, so the pool's size is the limit; the others wait in the pool's queue.
 *
 * @param least threads that stay, or null for Jetty's own (8)
 * @param most threads at the most, or null for Jetty's own (200)
 */
record Threads(Integer least, Integer most) {

    static final String DEFAULT = "default";
    static final String TUNED = "tuned";

    /** Enough for a thousand connections to be served at once, and for the threads that Jetty needs itself. */
    private static final int TUNED_LEAST = 200;
    private static final int TUNED_MOST = 1200;

    static Threads of(Settings settings) {
        return settings.word("threads", DEFAULT, TUNED).equals(TUNED)
                ? new Threads(TUNED_LEAST, TUNED_MOST)
                : new Threads(null, null);
    }

    /** Connections to the back end: never fewer than threads, so that none waits for one. */
    static int connections() {
        return TUNED_MOST;
    }
}
