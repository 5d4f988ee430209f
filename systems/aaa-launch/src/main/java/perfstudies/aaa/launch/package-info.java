/** What the launchers share: the commands on standard input, the work folder, the application as an exploded archive. */
package perfstudies.aaa.launch;
