package perfstudies.foreign;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlType;

/** The detail of a fault that the description declares. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Refusal", propOrder = {"code", "reason"})
public class Refusal {

    public int code;

    @XmlElement(required = true)
    public String reason;
}
