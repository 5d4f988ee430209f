/**
 * Apache Camel as an engine: Jetty takes the messages, Apache's HTTP client sends them on.
 *
 * <p>Of Camel's components for HTTP, only these bear a thousand connections without an error both with stream caching
 * and without it, on connections that stay. Netty's stalls if neither end caches, and closed some connections under its
 * clients if the receiving end alone did not; Undertow's opens a connection to the back end for every message.
 */
package perfstudies.esb.camel;
