package perfstudies.aaa.entity21;

import jakarta.ejb.EJBLocalObject;

/** A policy. */
public interface PolicyLocal extends EJBLocalObject {

    String getDocument();
}
