package perfstudies.esb.reliable;

/** The ways in which a message gets from the client's database to the server's. */
enum Delivery {
    /** A call with an answer; what the client does when none comes is its own affair. */
    PLAIN,
    /** A message without an answer, over plain SOAP. */
    ONE_WAY,
    /** WS-ReliableMessaging, which forgets when its process ends. */
    RELIABLE,
    /** WS-ReliableMessaging with CXF's own stores in both databases, in transactions of their own. */
    STORED,
    /** The same stores, inside the transactions of client and server. */
    TRANSACTIONAL;

    /** Whether WS-ReliableMessaging carries it. */
    boolean isReliable() {
        return compareTo(RELIABLE) >= 0;
    }

    /** Whether the middleware keeps its messages in the database. */
    boolean isStored() {
        return compareTo(STORED) >= 0;
    }
}
