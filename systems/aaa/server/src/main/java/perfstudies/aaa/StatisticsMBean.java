package perfstudies.aaa;

/** What the management server offers of {@link Statistics}. */
public interface StatisticsMBean {

    /** The counts since this was last asked, as a JSON object. */
    String take();
}
