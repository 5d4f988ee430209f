/** The service equipment: a program of its own that sets up bandwidth, for who may have it. */
package perfstudies.aaa.equipment;
