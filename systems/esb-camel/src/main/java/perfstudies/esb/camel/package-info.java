/**
 * Apache Camel as an engine: Jetty takes the messages, Apache's HTTP client sends them on.
 *
 * <p>Of the components that Camel has for that, these bear a thousand connections without an error both with stream
 * caching and without it. Netty's hangs if neither end caches and resets connections if one of them does not;
 * Undertow's opens a connection to the back end for every message.
 */
package perfstudies.esb.camel;
