/**
 * What programs share that are started by the lab: how they are told what to be, say that they answer, and end.
 */
package perfstudies.launch;
