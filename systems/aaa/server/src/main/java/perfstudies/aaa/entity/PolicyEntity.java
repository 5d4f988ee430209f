package perfstudies.aaa.entity;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Lob;
import jakarta.persistence.Table;

/** A policy's row. */
@Entity
@Table(name = "POLICY")
public class PolicyEntity {

    @Id
    @Column(name = "TYPE")
    private String type;
    @Column(name = "VERSION")
    private String version;
    @Lob
    @Column(name = "DOCUMENT")
    private String document;

    public String getDocument() {
        return document;
    }
}
