package perfstudies.foreign;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlAttribute;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlElementWrapper;
import jakarta.xml.bind.annotation.XmlEnum;
import jakarta.xml.bind.annotation.XmlSchemaType;
import jakarta.xml.bind.annotation.XmlType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import javax.xml.datatype.XMLGregorianCalendar;

/** What is ordered: of most kinds that a schema has. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Order", propOrder = {"customer", "day", "haste", "items"})
public class Order {

    @XmlElement(required = true)
    public String customer;

    @XmlElement(required = true)
    @XmlSchemaType(name = "date")
    public XMLGregorianCalendar day;

    @XmlElement(required = true)
    public Haste haste;

    @XmlElementWrapper(name = "items", required = true)
    @XmlElement(name = "item", required = true)
    public List<Item> items = new ArrayList<>();

    /** One line of an order. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "Item", propOrder = {"name", "pieces", "price"})
    public static class Item {

        @XmlAttribute(name = "number", required = true)
        public int number;

        @XmlElement(required = true)
        public String name;

        public int pieces;

        @XmlElement(required = true)
        public BigDecimal price;
    }

    /** How soon. */
    @XmlEnum
    @XmlType(name = "Haste")
    public enum Haste { SOON, TODAY, NOW }
}
