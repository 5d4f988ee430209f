/**
 * Apache Synapse, the engine inside WSO2 ESB, as a program of the study.
 */
package perfstudies.esb.synapse;
