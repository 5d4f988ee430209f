/**
 * WS-Security as the study's SecureProxy has it: requests that a client signed and encrypted, and an engine that checks
 * and decrypts them.
 */
package perfstudies.esb.security;
