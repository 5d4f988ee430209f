/** The policy repository: policies and ended sessions in a database. */
package perfstudies.aaa.repository;
