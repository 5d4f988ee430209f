/** The Flight Web Service of the study as a program: its commands and its settings. */
package perfstudies.flight;
