package perfstudies.foreign;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlType;
import java.math.BigDecimal;

/** What an order comes to. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Receipt", propOrder = {"customer", "items", "total"})
public class Receipt {

    @XmlElement(required = true)
    public String customer;

    public int items;

    @XmlElement(required = true)
    public BigDecimal total;
}
