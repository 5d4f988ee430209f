package perfstudies.foreign.axis;

import java.rmi.RemoteException;

/**
 * What Axis serves; it makes the description out of the class, whose byte code it reads for the names of arguments. Of
 * that it knows Java 5: here are no lambdas, and no strings joined by {@code +}.
 */
public final class Counter {

    /** Returns its argument. */
    public String echo(String text) {
        return text;
    }

    /** Returns the price of some pieces. */
    public double price(String name, int pieces, double each) {
        return pieces * each;
    }

    /** Returns how many names there are, and the first. */
    public String names(String[] names) {
        return String.valueOf(names.length).concat(" ").concat(names[0]);
    }

    /** Always answers with a fault. */
    public String fail(String text) throws RemoteException {
        throw new RemoteException("it failed on ".concat(text));
    }
}
