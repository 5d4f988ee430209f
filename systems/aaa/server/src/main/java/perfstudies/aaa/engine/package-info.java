/** The Rule Based Engine: evaluates the driving policy of a request. */
package perfstudies.aaa.engine;
