package perfstudies.esb.security;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.crypto.KeyGenerator;
import javax.security.auth.callback.Callback;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.common.crypto.Crypto;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.common.ext.WSSecurityException;
import org.apache.wss4j.dom.WSConstants;
import org.apache.wss4j.dom.WSDataRef;
import org.apache.wss4j.dom.engine.WSSConfig;
import org.apache.wss4j.dom.engine.WSSecurityEngine;
import org.apache.wss4j.dom.engine.WSSecurityEngineResult;
import org.apache.wss4j.dom.handler.RequestData;
import org.apache.wss4j.dom.handler.WSHandlerResult;
import org.apache.wss4j.dom.message.WSSecEncrypt;
import org.apache.wss4j.dom.message.WSSecHeader;
import org.apache.wss4j.dom.message.WSSecSignature;
import org.apache.wss4j.dom.message.WSSecTimestamp;
import org.apache.wss4j.dom.util.WSSecurityUtil;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/**
 * Both ends of a secured request: the client's, which signs a timestamp and the body with its key and encrypts the body
 * for the engine, and the engine's, which checks and undoes that.
 *
 * <p>A load test sends one message many times. So a message may be as old as a day, and the same one may come again:
 * what a server in earnest would refuse. The work per message is the same. Many threads may use an object at once.
 */
public final class Security {

    private static final int LIFETIME_S = 24 * 60 * 60;
    private static final int SYMMETRIC_BITS = 128;

    static {
        // It installs nothing but the algorithms of its own; a second call does nothing.
        WSSConfig.init();
    }

    private final String password;
    private final Crypto client;
    private final Crypto engine;

    private Security(Keys keys) {
        password = keys.password();
        client = crypto(keys.ofClient(), Keys.CLIENT);
        engine = crypto(keys.ofEngine(), Keys.ENGINE);
    }

    /**
     * Makes keys of its own, which only this object has.
     *
     * @param folder a folder that is there, for files that are gone again when this returns
     * @throws IOException if the keys cannot be made
     */
    public static Security create(Path folder) throws IOException {
        try {
            return new Security(Keys.create(folder));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /**
     * Does what the client does.
     *
     * @param envelope a SOAP 1.1 envelope
     * @return the same, signed and encrypted
     * @throws InsecureMessageException if the bytes are none
     */
    public byte[] secure(byte[] envelope) throws InsecureMessageException {
        Document document = parse(envelope);
        try {
            WSSecHeader header = new WSSecHeader(document);
            header.insertSecurityHeader();
            String body = WSSecurityUtil.getSOAPConstants(document.getDocumentElement()).getEnvelopeURI();
            WSEncryptionPart content = new WSEncryptionPart(WSConstants.ELEM_BODY, body, "Content");

            WSSecTimestamp timestamp = new WSSecTimestamp(header);
            timestamp.setTimeToLive(LIFETIME_S);
            timestamp.build();

            WSSecSignature signature = new WSSecSignature(header);
            signature.setUserInfo(Keys.CLIENT, password);
            signature.setKeyIdentifierType(WSConstants.BST_DIRECT_REFERENCE);
            signature.setSignatureAlgorithm(WSConstants.RSA_SHA256);
            signature.setDigestAlgo(WSConstants.SHA256);
            signature.getParts().add(content);
            signature.getParts().add(new WSEncryptionPart(WSConstants.TIMESTAMP_TOKEN_LN, WSConstants.WSU_NS, ""));
            signature.build(client);

            WSSecEncrypt encryption = new WSSecEncrypt(header);
            encryption.setUserInfo(Keys.ENGINE);
            encryption.setKeyIdentifierType(WSConstants.ISSUER_SERIAL);
            encryption.setKeyEncAlgo(WSConstants.KEYTRANSPORT_RSAOAEP);
            encryption.setSymmetricEncAlgorithm(WSConstants.AES_128_GCM);
            encryption.getParts().add(content);
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(SYMMETRIC_BITS);
            encryption.build(client, generator.generateKey());
            return Xml.bytes(document);
        } catch (WSSecurityException | GeneralSecurityException e) {
            throw new InsecureMessageException("cannot be secured: " + e.getMessage(), e);
        }
    }

    /**
     * Does what the engine does.
     *
     * @param securedEnvelope what {@link #secure} made
     * @return the envelope in plain, without the header that secured it
     * @throws InsecureMessageException if it was changed, or its timestamp and body are not signed by the client, or
     *         its body is not encrypted
     */
    public byte[] open(byte[] securedEnvelope) throws InsecureMessageException {
        Document document = parse(securedEnvelope);
        try {
            Element header = WSSecurityUtil.getSecurityHeader(document, "");
            if (header == null) {
                throw new InsecureMessageException("there is no security header");
            }
            WSHandlerResult result = new WSSecurityEngine().processSecurityHeader(header, request());
            // A signature may be right and yet be one of something else in the document, so the elements are compared.
            Element body = WSSecurityUtil.findBodyElement(document);
            demand(result, WSConstants.SIGN, body, "the body is not signed");
            demand(result, WSConstants.SIGN, timestamp(result), "the timestamp is not signed");
            demand(result, WSConstants.ENCR, body, "the body is not encrypted");
            header.getParentNode().removeChild(header);
            return Xml.bytes(document);
        } catch (WSSecurityException e) {
            throw new InsecureMessageException("the security header is wrong: " + e.getMessage(), e);
        }
    }

    private RequestData request() {
        RequestData request = new RequestData();
        request.setWssConfig(WSSConfig.getNewInstance());
        request.setSigVerCrypto(engine);
        request.setDecCrypto(engine);
        request.setTimeStampTTL(LIFETIME_S);
        request.setCallbackHandler(callbacks -> {
            for (Callback callback : callbacks) {
                if (callback instanceof WSPasswordCallback asked) {
                    asked.setPassword(password);
                }
            }
        });
        return request;
    }

    private static Document parse(byte[] envelope) throws InsecureMessageException {
        try {
            Document document = Xml.parse(envelope);
            if (WSSecurityUtil.findBodyElement(document) == null) {
                throw new InsecureMessageException("it is no SOAP envelope with a body");
            }
            return document;
        } catch (SAXException e) {
            throw new InsecureMessageException("it is no XML that is accepted: " + e.getMessage(), e);
        }
    }

    private static Element timestamp(WSHandlerResult result) throws InsecureMessageException {
        for (WSSecurityEngineResult each : actions(result, WSConstants.TS)) {
            if (each.get(WSSecurityEngineResult.TAG_TIMESTAMP)
                    instanceof org.apache.wss4j.dom.message.token.Timestamp timestamp) {
                return timestamp.getElement();
            }
        }
        throw new InsecureMessageException("there is no timestamp");
    }

    private static void demand(WSHandlerResult result, int action, Element element, String otherwise)
            throws InsecureMessageException {
        for (WSSecurityEngineResult each : actions(result, action)) {
            if (each.get(WSSecurityEngineResult.TAG_DATA_REF_URIS) instanceof List<?> references) {
                for (Object reference : references) {
                    if (((WSDataRef) reference).getProtectedElement() == element) {
                        return;
                    }
                }
            }
        }
        throw new InsecureMessageException(otherwise);
    }

    private static List<WSSecurityEngineResult> actions(WSHandlerResult result, int action) {
        return result.getActionResults().getOrDefault(action, List.of());
    }

    private static Crypto crypto(KeyStore store, String identifier) {
        Merlin crypto = new Merlin();
        crypto.setKeyStore(store);
        crypto.setTrustStore(store);
        crypto.setDefaultX509Identifier(identifier);
        return crypto;
    }
}
