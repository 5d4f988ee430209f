/** The study's monitors as a library of their own: it knows nothing of the system that it measures. */
package perfstudies.monitor;
