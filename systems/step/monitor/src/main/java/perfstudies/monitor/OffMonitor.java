package perfstudies.monitor;

/** Does nothing, as cheaply as that can be done. */
final class OffMonitor implements Monitor {

    @Override
    public void enter(String tag) {
    }

    @Override
    public void exit(String tag) {
    }

    @Override
    public void context(String tag, String key, String value) {
    }

    @Override
    public void close() {
    }
}
