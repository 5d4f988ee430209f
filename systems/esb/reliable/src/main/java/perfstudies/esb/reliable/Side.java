package perfstudies.esb.reliable;

/** What a process is for a while: the server or the client of one run. */
interface Side extends AutoCloseable {

    /** Returns where it answers; a client answers nowhere. */
    String address();

    /** Does what a line says and returns the line that answers it. */
    String answer(String line) throws Exception;
}
