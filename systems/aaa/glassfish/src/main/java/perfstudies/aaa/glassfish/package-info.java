/** The Generic AAA server in embedded GlassFish, today's descendant of the study's application server. */
package perfstudies.aaa.glassfish;
