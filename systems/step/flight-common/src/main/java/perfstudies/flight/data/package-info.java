/** The domain's data, from CSV files into a new database. */
package perfstudies.flight.data;
