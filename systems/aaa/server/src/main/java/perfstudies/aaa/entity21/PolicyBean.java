package perfstudies.aaa.entity21;

import jakarta.ejb.EntityBean;
import jakarta.ejb.EntityContext;

/** A policy's row. The container makes the fields and tells when it loads and stores them, which needs nothing more. */
public abstract class PolicyBean implements EntityBean {

    private static final long serialVersionUID = 1L;

    public abstract String getType();

    public abstract void setType(String type);

    public abstract String getVersion();

    public abstract void setVersion(String version);

    public abstract String getDocument();

    public abstract void setDocument(String document);

    @Override
    public void setEntityContext(EntityContext context) {
        // it asks nothing of its context
    }

    @Override
    public void unsetEntityContext() {
        // as above
    }

    @Override
    public void ejbActivate() {
        // it holds nothing but its fields
    }

    @Override
    public void ejbPassivate() {
        // as above
    }

    @Override
    public void ejbLoad() {
        // the container has loaded the fields
    }

    @Override
    public void ejbStore() {
        // the container stores the fields
    }

    @Override
    public void ejbRemove() {
        // policies are never removed
    }
}
