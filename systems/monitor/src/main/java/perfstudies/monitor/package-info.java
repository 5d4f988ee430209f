/** The study's Layer monitor as a library of its own: it knows nothing of the system that it measures. */
package perfstudies.monitor;
