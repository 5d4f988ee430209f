/** What a party writes down: its record of requests, its sessions and its messages, and its counters. */
package perfstudies.aaa.log;
