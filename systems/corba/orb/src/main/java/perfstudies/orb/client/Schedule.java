package perfstudies.orb.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import perfstudies.launch.UsageException;

/** When the requests are due, in nanoseconds after the start, and over which connection each goes. */
final class Schedule {

    static final String HEADER = "due_ns,connection";

    private final long[] dueNs;
    private final int[] connections;

    private Schedule(int requests) {
        dueNs = new long[requests];
        connections = new int[requests];
    }

    /** Requests that are all due at the start, over the connections in turn. */
    static Schedule atOnce(int requests, int connections) {
        Schedule schedule = new Schedule(requests);
        for (int number = 0; number < requests; number++) {
            schedule.connections[number] = number % connections;
        }
        return schedule;
    }

    /**
     * Reads a file: the header, then a line a request.
     *
     * @param connections how many there are; a line names one of them, counted from 0
     * @throws UsageException if it cannot be read, a line is none of these, or a request is due before the last one;
     *     with the line's number
     */
    static Schedule read(Path file, int connections) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException("cannot read the arrivals: " + e);
        }
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new UsageException(file + ":1: the arrivals must begin with the line " + HEADER);
        }
        Schedule schedule = new Schedule(lines.size() - 1);
        long lastNs = 0;
        for (int number = 0; number < schedule.requests(); number++) {
            String line = lines.get(number + 1);
            try {
                String[] parts = line.split(",", -1);
                long due = Long.parseLong(parts[0]);
                int connection = Integer.parseInt(parts[1]);
                if (parts.length == 2 && due >= lastNs && connection >= 0 && connection < connections) {
                    schedule.dueNs[number] = due;
                    schedule.connections[number] = connection;
                    lastNs = due;
                    continue;
                }
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                // answered below, like numbers that do not fit
            }
            throw new UsageException(file + ":" + (number + 2) + ": " + line + " is not a time after the one before "
                    + "and a connection below " + connections);
        }
        return schedule;
    }

    int requests() {
        return dueNs.length;
    }

    long dueNs(int number) {
        return dueNs[number];
    }

    int connection(int number) {
        return connections[number];
    }
}
