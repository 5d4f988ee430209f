package perfstudies.esb.axis2client;

/** What gives the connection of a call back to the pool. */
enum Release {
    /** The caller cleans up after each call, as the post's second option says. */
    CLEANUP,
    /** AUTO_RELEASE_CONNECTION, the post's first option. */
    AUTO,
    /** Axis2's own option "callTransportCleanup", which reads the answer and cleans up before the call returns. */
    OPTION,
    /** Nothing does, but the caller reads the answer to its end. */
    READ,
    /** Nothing does, and the caller does not read the answer. */
    NONE,
    /** As before, and Axis2 does not clean up after a service client's last call when it makes its next. */
    NEVER
}
