/** The extension mechanism: interceptors round the Service and the Web Service layer, listed in a properties file. */
package perfstudies.flight.extension;
