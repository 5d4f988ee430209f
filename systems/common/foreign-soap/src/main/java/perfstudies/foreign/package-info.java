/** A small service that several SOAP stacks offer in every style, so that a client can be tested against all of them. */
package perfstudies.foreign;
