/** The servlet that takes requests and times the call into the EJB container. */
package perfstudies.aaa.web;
