/** The Flight Web Service of the study as programs: their commands and their settings. */
package perfstudies.flight;
