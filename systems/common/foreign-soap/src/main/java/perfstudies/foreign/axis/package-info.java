/** Apache Axis 1.4 on its own HTTP server, for the style rpc/encoded that newer stacks no longer have. */
package perfstudies.foreign.axis;
