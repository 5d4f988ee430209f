/** The Web layer: the servlet container and the filter in front of the JAX-WS servlet. */
package perfstudies.flight.web;
