package perfstudies.aaa.entity;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import perfstudies.aaa.repository.SessionRow;

/** An ended session's row. */
@Entity
@Table(name = "SESSION")
public class SessionEntity {

    @Id
    @Column(name = "ID")
    private String id;
    @Column(name = "NAME")
    private String name;
    @Column(name = "TYPE")
    private String type;
    @Column(name = "ANSWER")
    private String answer;
    @Column(name = "ENDED_US")
    private long endedUs;

    protected SessionEntity() {
        // for the persistence provider, which fills the fields in
    }

    SessionEntity(SessionRow row) {
        id = UUID.randomUUID().toString();
        name = row.name();
        type = row.type();
        answer = row.answer();
        endedUs = row.endedUs();
    }
}
