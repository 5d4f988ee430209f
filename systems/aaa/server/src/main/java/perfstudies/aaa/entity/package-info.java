/** The policy repository with entity beans, whose state the container reads from and writes to the database. */
package perfstudies.aaa.entity;
