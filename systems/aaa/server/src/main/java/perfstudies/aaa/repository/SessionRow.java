package perfstudies.aaa.repository;

/** A session as the database keeps it. */
public record SessionRow(String name, String type, String answer, long endedUs) {
}
