package perfstudies.aaa.entity21;

import jakarta.ejb.EJBLocalHome;
import jakarta.ejb.FinderException;

/** Finds policies. */
public interface PolicyHome extends EJBLocalHome {

    /** The policy of a type. */
    PolicyLocal findByPrimaryKey(String type) throws FinderException;
}
