package perfstudies.esb.camel;

import javax.xml.transform.ErrorListener;
import javax.xml.transform.TransformerException;

/** The transformer's own listener writes to the standard error as well. */
final class Thrower implements ErrorListener {

    @Override
    public void warning(TransformerException exception) {
        // Of no consequence to a message.
    }

    @Override
    public void error(TransformerException exception) throws TransformerException {
        throw exception;
    }

    @Override
    public void fatalError(TransformerException exception) throws TransformerException {
        throw exception;
    }
}
