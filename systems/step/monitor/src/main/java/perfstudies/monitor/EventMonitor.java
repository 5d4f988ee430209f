package perfstudies.monitor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The study's Event monitor: a line for every interception, written at once to the thread's own file, so that a request
 * costs as many writes as it touches objects. Its last line is that of the layer that it entered first.
 */
public final class EventMonitor implements Monitor {

    private final NanoClock clock;
    private final RecordFiles files;
    private final Problems problems;
    private final ThreadLocal<ThreadState> states = ThreadLocal.withInitial(ThreadState::new);

    /**
     * Monitors into a folder.
     *
     * @param folder where the files go; it is created, and must not hold records yet
     */
    public EventMonitor(Path folder) throws IOException {
        this(folder, System::nanoTime, System.err::println);
    }

    /** As above, with the clock and the place for reports of wrong use, which a test replaces. */
    public EventMonitor(Path folder, NanoClock clock, Consumer<String> reports) throws IOException {
        this.clock = clock;
        this.files = new RecordFiles(folder);
        this.problems = new Problems(reports);
    }

    @Override
    public boolean tracksNesting() {
        return false;
    }

    @Override
    public void enter(String tag) {
        states.get().visits.enter(tag, new TimedVisit(clock.nanoTime()));
    }

    @Override
    public void exit(String tag) {
        long nowNs = clock.nanoTime();
        ThreadState state = states.get();
        TimedVisit visit = state.visits.exit(tag);
        if (visit != null) {
            state.file.write(RecordFormat.visit(tag, visit.startNs, nowNs - visit.startNs, visit.context()));
        }
    }

    @Override
    public void context(String tag, String key, String value) {
        states.get().visits.note(tag, key, value);
    }

    @Override
    public void close() {
        files.close();
    }

    private static final class TimedVisit extends Visit {

        private final long startNs;

        TimedVisit(long startNs) {
            this.startNs = startNs;
        }
    }

    private final class ThreadState {

        private final OpenVisits<TimedVisit> visits = new OpenVisits<>(problems);
        private final ThreadFile file = new ThreadFile(files, problems);
    }
}
