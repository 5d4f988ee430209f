package perfstudies.aaa.equipment;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.w3c.dom.Element;
import perfstudies.aaa.FaultName;
import perfstudies.aaa.Refusal;
import perfstudies.aaa.soap.AaaMessages;
import perfstudies.aaa.soap.SoapClient;
import perfstudies.aaa.soap.SoapFault;
import perfstudies.aaa.soap.Xml;
import perfstudies.aaa.ticket.Ticket;
import perfstudies.aaa.ticket.TicketVerifier;

/** What the equipment does for each of its messages. */
final class Operations {

    private static final String PULL_POLICY = "Pull01";

    private final Equipment equipment;
    private final String party;
    private final String service;
    private final long durationMs;
    private final String aaaServer;
    private final SoapClient soapClient;
    private final TicketVerifier tickets;
    private final AtomicLong sessions = new AtomicLong();

    /** An answer: yes with a reservation, or no with a message. */
    record Answer(boolean granted, String session, String message, String reservation) {

        String xml(String operation) {
            return "<SE:" + operation + "Reply xmlns:SE=\"" + Equipment.NAMESPACE + "\">"
                    + Xml.element("Answer", granted ? "yes" : "no") + Xml.element("Session", session)
                    + Xml.element("Message", message) + Xml.element("Reservation", reservation)
                    + "</SE:" + operation + "Reply>";
        }
    }

    /**
     * Operations on some equipment.
     *
     * @param durationMs how long a reservation lasts that does not say
     * @param aaaServer whom to ask for a user without a ticket; empty for nobody
     * @param tickets who checks tickets; null for nobody
     */
    Operations(Equipment equipment, String party, String service, long durationMs, String aaaServer,
            SoapClient soapClient, TicketVerifier tickets) {
        this.equipment = equipment;
        this.party = party;
        this.service = service;
        this.durationMs = durationMs;
        this.aaaServer = aaaServer;
        this.soapClient = soapClient;
        this.tickets = tickets;
    }

    /** Does what a valid message asks for. */
    Answer perform(Element message) throws Refusal {
        return switch (message.getLocalName()) {
            case "Reserve" -> reserve(number(message), message, Xml.text(message, "Session"));
            case "Release" -> release(message);
            case "Request" -> pull(message);
            case "RequestWithTicket" -> push(message);
            default -> throw new Refusal(FaultName.BadRequest, message.getLocalName() + " is no request");
        };
    }

    private Answer reserve(int bandwidthMbit, Element message, String session) {
        String duration = Xml.text(message, "Duration");
        String reservation = equipment.reserve(bandwidthMbit,
                duration.isEmpty() ? durationMs : Long.parseLong(duration));
        return reservation == null
                ? new Answer(false, session, bandwidthMbit + " Mbit/s are not free", null)
                : new Answer(true, session, null, reservation);
    }

    private Answer release(Element message) {
        String name = Xml.text(message, "Reservation");
        String session = Xml.text(message, "Session");
        return equipment.release(name) ? new Answer(true, session, null, name)
                : new Answer(false, session, "there is no reservation " + name, null);
    }

    /** Asks the AAA server whether the user may, and sets the service up if so. */
    private Answer pull(Element message) throws Refusal {
        if (aaaServer.isEmpty()) {
            throw new Refusal(FaultName.ProviderFailed, "the setting aaa.server is missing");
        }
        String given = Xml.text(message, "Session");
        String session = given.isEmpty() ? party + "-" + sessions.getAndIncrement() : given;
        try {
            Element reply = soapClient.call(aaaServer, "aaa", "AAARequest", AaaMessages.request(PULL_POLICY,
                    Xml.text(message, "User"), Xml.text(message, "Bandwidth"), null, session), session);
            return AaaMessages.granted(reply) ? reserve(number(message), message, session)
                    : new Answer(false, session, Xml.text(reply, "Message"), null);
        } catch (IOException | SoapFault e) {
            throw new Refusal(FaultName.ProviderFailed, "the AAA server failed: " + e.getMessage(), e);
        }
    }

    /** Sets up the service that the ticket says, for the user that it says. */
    private Answer push(Element message) throws Refusal {
        if (tickets == null) {
            throw new Refusal(FaultName.ServerFailed, "the setting ticket.public is missing");
        }
        Ticket ticket = tickets.accept(Xml.text(message, "Ticket"));
        if (!ticket.user().equals(Xml.text(message, "User"))) {
            return new Answer(false, ticket.session(), "the ticket is another user's", null);
        }
        if (!ticket.service().equals(service)) {
            return new Answer(false, ticket.session(), "the ticket is for the service " + ticket.service(), null);
        }
        return reserve(ticket.bandwidthMbit(), message, ticket.session());
    }

    private static int number(Element message) {
        return Integer.parseInt(Xml.text(message, "Bandwidth"));
    }
}
