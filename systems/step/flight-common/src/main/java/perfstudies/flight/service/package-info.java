/** Service objects: each one operation of the application, taking and returning views, in one transaction. */
package perfstudies.flight.service;
