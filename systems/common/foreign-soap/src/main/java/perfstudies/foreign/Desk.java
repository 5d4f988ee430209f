package perfstudies.foreign;

import java.math.BigDecimal;

/** What is behind every style of the service. */
class Desk {

    private static final int REFUSED = 7;

    public Receipt order(Order order) {
        Receipt receipt = new Receipt();
        receipt.customer = order.customer;
        receipt.items = order.items.size();
        receipt.total = order.items.stream()
                .map(item -> item.price.multiply(BigDecimal.valueOf(item.pieces)))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        return receipt;
    }

    public String echo(String text) {
        return text;
    }

    public Receipt refuse(String reason) throws Refused {
        Refusal detail = new Refusal();
        detail.code = REFUSED;
        detail.reason = reason;
        throw new Refused("the order was refused", detail);
    }

    public String fail(String text) {
        throw new IllegalStateException("it failed on " + text);
    }
}
