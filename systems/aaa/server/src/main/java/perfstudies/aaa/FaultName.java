package perfstudies.aaa;

/** Why a request is not answered; the name stands in the SOAP fault's detail and in the server's record. */
public enum FaultName {

    BadRequest(true),
    UnknownPolicy(true),
    BadPolicy(false),
    NoBean(false),
    TicketExpired(true),
    TicketTampered(true),
    TicketReplayed(true),
    /** The service equipment cannot be reached, or does not answer as it should. */
    EquipmentFailed(false),
    /** The same of another AAA server: the provider's, or the one that the service equipment asks. */
    ProviderFailed(false),
    RepositoryFailed(false),
    /** Anything else; the text says what. */
    ServerFailed(false);

    private final boolean byClient;

    FaultName(boolean byClient) {
        this.byClient = byClient;
    }

    /** Whether sending the same message again is in vain: SOAP's code Client, otherwise Server. */
    public boolean byClient() {
        return byClient;
    }
}
