package perfstudies.monitor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.log4j.FileAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.perf4j.StopWatch;
import org.perf4j.log4j.Log4JStopWatch;

/**
 * The study's first choice: a stop watch of the Perf4J library for every interception, in whole milliseconds, which
 * logs itself through Log4j when it is stopped. All threads share one file and wait for each other there.
 */
public final class Perf4JMonitor implements Monitor {

    private static final Logger LOGGER = Logger.getLogger(StopWatch.DEFAULT_LOGGER_NAME);

    private final FileAppender file;
    private final ThreadLocal<OpenVisits<WatchedVisit>> visits;

    /**
     * Monitors into a folder. The library's logger is one for all, so one such monitor may be open at a time.
     *
     * @param folder where the file goes; it is created, and must not hold records yet
     */
    public Perf4JMonitor(Path folder) throws IOException {
        this(folder, System.err::println);
    }

    /** As above, with the place for reports of wrong use, which a test replaces. */
    public Perf4JMonitor(Path folder, Consumer<String> reports) throws IOException {
        Problems problems = new Problems(reports);
        visits = ThreadLocal.withInitial(() -> new OpenVisits<>(problems));
        file = file(Files.createFile(RecordFiles.fresh(folder).resolve(RecordFiles.PERF4J)));
        LOGGER.addAppender(file);
        // What is measured must neither get into the functional log nor depend on that log's level.
        LOGGER.setAdditivity(false);
        LOGGER.setLevel(Level.INFO);
    }

    @Override
    public boolean tracksNesting() {
        return false;
    }

    @Override
    public void enter(String tag) {
        visits.get().enter(tag, new WatchedVisit(new Log4JStopWatch(tag, LOGGER)));
    }

    @Override
    public void exit(String tag) {
        WatchedVisit visit = visits.get().exit(tag);
        if (visit != null) {
            visit.stop();
        }
    }

    @Override
    public void context(String tag, String key, String value) {
        visits.get().note(tag, key, value);
    }

    @Override
    public void close() {
        LOGGER.removeAppender(file);
        file.close();
        LOGGER.setAdditivity(true);
        LOGGER.setLevel(null);
    }

    private static FileAppender file(Path path) {
        FileAppender file = new FileAppender();
        file.setLayout(new PatternLayout("%m%n"));
        file.setFile(path.toString());
        file.setEncoding(StandardCharsets.UTF_8.name());
        file.activateOptions();
        return file;
    }

    private static final class WatchedVisit extends Visit {

        private final Log4JStopWatch watch;
        WatchedVisit(Log4JStopWatch watch) {
            this.watch = watch;
        }

        void stop() {
            if (!context().isEmpty()) {
                watch.setMessage(RecordFormat.context(context()));
            }
            watch.stop();
        }
    }
}
