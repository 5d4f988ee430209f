package perfstudies.flight.domain;

import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.Version;

/**
 * What every persistent object has: an identity given by the database, and a version by which two transactions that
 * changed the same object find out.
 */
@MappedSuperclass
public abstract class DomainObject {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private Long objectId;

    @Version
    private int objVersion;

    public Long getObjectId() {
        return objectId;
    }

    public int getObjVersion() {
        return objVersion;
    }
}
