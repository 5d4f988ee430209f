package perfstudies.aaa.log;

import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * One request's line in the server's record. The thread that serves the request fills it on its way.
 *
 * <p>Times are {@link System#nanoTime()}, which on Linux is CLOCK_MONOTONIC: other processes of the machine can compare
 * them with their own.
 */
public final class RequestRecord {

    public static final String HEADER = "request,client,number,entered_us,ejb_start_us,asm_start_us,asm_end_us,"
            + "ejb_end_us,left_us,bean,created,beans_busy,threads_busy,db_us,status";
    /** The HTTP header by which a client names itself and its request: {@code client/number}. */
    public static final String REQUEST_HEADER = "X-Request";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}/[0-9]{1,18}");
    private static final long NEVER = Long.MIN_VALUE;

    private final long request;
    private final String client;
    private final String number;
    private final int threadsBusy;
    private final long enteredNs;
    private long ejbStartNs = NEVER;
    private long asmStartNs = NEVER;
    private long asmEndNs = NEVER;
    private long ejbEndNs = NEVER;
    private long databaseNs = NEVER;
    private String bean = "";
    private String created = "";
    private String beansBusy = "";

    /**
     * A request that entered now.
     *
     * @param name the header's value, or null; what is not {@code client/number} is left out
     */
    public RequestRecord(long request, String name, int threadsBusy) {
        boolean named = name != null && NAME.matcher(name).matches();
        this.request = request;
        this.client = named ? name.substring(0, name.indexOf('/')) : "";
        this.number = named ? name.substring(name.indexOf('/') + 1) : "";
        this.threadsBusy = threadsBusy;
        this.enteredNs = System.nanoTime();
    }

    public void ejbStarts() {
        ejbStartNs = System.nanoTime();
    }

    public void ejbEnds() {
        ejbEndNs = System.nanoTime();
    }

    /** The timer's module begins; of several calls the first one's begin and bean count. */
    public void moduleStarts(long beanNumber, boolean beanCreated, int busy) {
        if (asmStartNs == NEVER) {
            bean = Long.toString(beanNumber);
            created = beanCreated ? "1" : "0";
            beansBusy = Integer.toString(busy);
            asmStartNs = System.nanoTime();
        }
    }

    public void moduleEnds() {
        asmEndNs = System.nanoTime();
    }

    /** Adds time in the policy repository. */
    public void addDatabase(long elapsedNs) {
        databaseNs = (databaseNs == NEVER ? 0 : databaseNs) + elapsedNs;
    }

    public long enteredUs() {
        return TimeUnit.NANOSECONDS.toMicros(enteredNs);
    }

    public String client() {
        return client;
    }

    public String number() {
        return number;
    }

    /** The time between the call into the EJB container and its return, in ms; NaN if there was no call. */
    public double ejbMs() {
        return ejbStartNs == NEVER || ejbEndNs == NEVER ? Double.NaN : (ejbEndNs - ejbStartNs) / 1e6;
    }

    /** The line of a request that leaves now. */
    public Object[] values(String status) {
        return new Object[] {request, client, number, enteredUs(), since(ejbStartNs), since(asmStartNs),
            since(asmEndNs), since(ejbEndNs), since(System.nanoTime()), bean, created, beansBusy, threadsBusy,
            databaseNs == NEVER ? "" : TimeUnit.NANOSECONDS.toMicros(databaseNs), status};
    }

    private Object since(long timeNs) {
        return timeNs == NEVER ? "" : TimeUnit.NANOSECONDS.toMicros(timeNs - enteredNs);
    }
}
