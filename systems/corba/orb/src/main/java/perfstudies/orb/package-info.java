/**
 * The object request broker of the study as two programs: a server whose target object uses the CPU, and a client that
 * sends it requests at given times. The broker is JacORB; both programs time what it does at the places it offers.
 *
 * <p>Times are {@link System#nanoTime()}, which on Linux is CLOCK_MONOTONIC: all processes of the machine can compare
 * them.
 */
package perfstudies.orb;
