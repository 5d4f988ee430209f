/** The Generic AAA server in OpenEJB and Tomcat, whose pools of beans limit how many work at once. */
package perfstudies.aaa.openejb;
