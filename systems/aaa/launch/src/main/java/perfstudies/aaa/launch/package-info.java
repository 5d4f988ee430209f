/** What the launchers share: the commands, the work folder, the application as an exploded web archive. */
package perfstudies.aaa.launch;
