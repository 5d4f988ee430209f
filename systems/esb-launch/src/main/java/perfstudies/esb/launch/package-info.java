/**
 * What the programs of the ESB study share: how they are told what to be, say that they answer, and end.
 */
package perfstudies.esb.launch;
