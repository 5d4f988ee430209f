/**
 * The back end of the ESB study: an echo service in Axis2, with code that Axis2's data binding (ADB) generates from its
 * description.
 */
package perfstudies.esb.backend;
