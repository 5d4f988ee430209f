/**
 * The client of the post "Improving Axis2 http transport client": Axis2 over commons-httpclient 3, whose pool of
 * connections all calls share. Compiled with Axis2 1.7, it runs on 1.5, 1.5.1 and 1.5.6 as well.
 */
package perfstudies.esb.axis2client;
