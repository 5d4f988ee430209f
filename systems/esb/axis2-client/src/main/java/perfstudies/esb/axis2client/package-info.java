/**
 * The client of the post "Improving Axis2 http transport client": Axis2 1.7 over commons-httpclient 3, whose pool of
 * connections all calls share.
 */
package perfstudies.esb.axis2client;
