package perfstudies.monitor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The study's Layer monitor: totals are kept in memory and written once a request, after its last timestamp, to the
 * thread's own file, in one write that no buffer holds back: a killed system loses at most its last record.
 */
public final class LayerMonitor implements Monitor {

    private final NanoClock clock;
    private final RecordFiles files;
    private final Problems problems;
    private final ThreadLocal<ThreadState> states = ThreadLocal.withInitial(ThreadState::new);

    /**
     * Monitors into a folder.
     *
     * @param folder where the files go; it is created, and must not hold records yet
     */
    public LayerMonitor(Path folder) throws IOException {
        this(folder, System::nanoTime, System.err::println);
    }

    /** As above, with the clock and the place for reports of wrong use, which a test replaces. */
    public LayerMonitor(Path folder, NanoClock clock, Consumer<String> reports) throws IOException {
        this.clock = clock;
        this.files = new RecordFiles(folder);
        this.problems = new Problems(reports);
    }

    @Override
    public void enter(String tag) {
        states.get().record.enter(tag);
    }

    @Override
    public void exit(String tag) {
        ThreadState state = states.get();
        if (state.record.exit(tag)) {
            state.file.write(RecordFormat.format(state.record.layers()));
            state.record.clear();
        }
    }

    @Override
    public void context(String tag, String key, String value) {
        states.get().record.context(tag, key, value);
    }

    @Override
    public void close() {
        files.close();
    }

    private final class ThreadState {

        private final RequestRecord record = new RequestRecord(clock, problems);
        private final ThreadFile file = new ThreadFile(files, problems);
    }
}
