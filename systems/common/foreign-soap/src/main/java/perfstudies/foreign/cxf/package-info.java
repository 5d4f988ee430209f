/** Apache CXF on Jetty, with WSS4J for user name tokens. */
package perfstudies.foreign.cxf;
