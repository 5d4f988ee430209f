/** SOAP 1.1 by the JDK alone: reading untrusted XML, writing envelopes and faults, calling another party. */
package perfstudies.aaa.soap;
