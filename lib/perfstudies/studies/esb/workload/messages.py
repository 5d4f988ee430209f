"""The messages that each proxy wants, made from the echo request that zeep builds.

A message's length is that of its plain envelope: what routing, renaming or security add comes on top, as it did in the
industry's rounds of ESB measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import requests
import zeep.exceptions
from lxml import etree
from zeep.helpers import serialize_object

from perfstudies.errors import SystemFailed, require_one_of
from perfstudies.files import temporary
from perfstudies.load.soap import connect
from perfstudies.studies.esb.server.engines import PROXIES, Engine
from perfstudies.studies.esb.workload import echo
from perfstudies.studies.esb.workload.echo import Message

ROUTING = "xadmin;server1;community#1.0##"
ROUTING_NAMESPACE = "http://perfstudies/esb/routing"
ECHO = "{http://perfstudies/esb}"
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
TIMEOUT_S = 60


class Reply(NamedTuple):
    """What zeep reads of an HTTP reply."""

    status_code: int
    content: bytes
    headers: Mapping[str, str]
    encoding: str | None


class Messages:
    """Makes the messages for a way to the back end, each once.

    Parameters
    ----------
    wsdl : str
        Address of the back end's description.
    engine : Engine or None
        Whose keys secured messages are made with.
    """

    def __init__(self, wsdl: str, engine: Engine | None = None):
        self._client, self._engine = connect(wsdl, TIMEOUT_S), engine
        self._made: dict[tuple[str, int], Message] = {}

    def of(self, proxy: str, size_bytes: int) -> Message:
        """Return the message for a proxy whose plain envelope has this length.

        Raises
        ------
        BadParameter
            If there is no such proxy, or the length is too small for an order.
        """
        require_one_of("proxy", proxy, PROXIES)
        if (proxy, size_bytes) not in self._made:
            self._made[proxy, size_bytes] = self._make(proxy, size_bytes)
        return self._made[proxy, size_bytes]

    def check(self, address: str, proxy: str, message: Message, timeout_s: float = TIMEOUT_S) -> None:
        """Send a message once and have zeep parse the reply, which must come in time and hold what was sent.

        Raises
        ------
        SystemFailed
            If there is no such reply.
        """
        binding = self._client.service._binding
        try:
            # On a connection of its own: a kept one may be about to be closed.
            headers = {**message.headers, "Connection": "close"}
            with self._client.transport.settings(timeout=timeout_s):
                reply = self._client.transport.post(address, message.content, headers)
            content = renamed_back(reply.content) if proxy == "xslt" else reply.content
            told = Reply(reply.status_code, content, reply.headers, reply.encoding)
            answer = serialize_object(binding.process_reply(self._client, binding.get(echo.OPERATION), told), dict)
        except (requests.RequestException, zeep.exceptions.Error, etree.LxmlError) as error:
            raise SystemFailed(f"{address} does not echo a message: {type(error).__name__}: {error}") from error
        orders = answer["order"]
        if not orders or orders != [echo.order(number) for number in range(len(orders))]:
            raise SystemFailed(f"{address} echoes other orders than were sent: {str(orders)[:200]}")
        if not answer["padding"].endswith(echo.END):
            raise SystemFailed(f"{address} echoes a message whose end is missing: {answer['padding'][-50:]!r}")

    def _make(self, proxy: str, size_bytes: int) -> Message:
        plain = echo.envelope(self._client, size_bytes)
        content, headers, must_contain = plain.content, dict(plain.headers), plain.must_contain
        if proxy == "cbr-soap-header":
            content = with_routing(content)
        elif proxy == "cbr-transport-header":
            headers["routing"] = ROUTING
        elif proxy == "xslt":
            content, must_contain = renamed(content), b"buyResponse"
        elif proxy == "secure":
            content = self._secured(content)
        return Message(content, headers, must_contain)

    def _secured(self, content: bytes) -> bytes:
        with temporary("secure") as folder:
            plain, secured = folder / "plain.xml", folder / "secured.xml"
            plain.write_bytes(content)
            answer = self._engine.process.ask(f"secure {plain} {secured}")  # type: ignore[union-attr]
            if not answer.startswith("SECURED"):
                raise SystemFailed(f"the engine did not secure a message: {answer}")
            return secured.read_bytes()


def with_routing(envelope: bytes) -> bytes:
    """Return an envelope with the SOAP header by which a proxy routes."""
    root = _parsed(envelope)
    header = root.find(f"{SOAP}Header")
    if header is None:
        header = etree.Element(f"{SOAP}Header")
        root.insert(0, header)
    etree.SubElement(header, f"{{{ROUTING_NAMESPACE}}}routing", nsmap={"r": ROUTING_NAMESPACE}).text = ROUTING
    return _written(root)


def renamed(envelope: bytes) -> bytes:
    """Return an echo request in the form that the transforming proxy takes: buy and stock for echo and order."""
    return _with_names(envelope, {"echo": "buy", "order": "stock"})


def renamed_back(envelope: bytes) -> bytes:
    """Return the transforming proxy's reply in the form of the echo's own."""
    return _with_names(envelope, {"buyResponse": "echoResponse", "stock": "order"})


def _with_names(envelope: bytes, names: Mapping[str, str]) -> bytes:
    root = _parsed(envelope)
    for old, new in names.items():
        for element in root.iter(f"{ECHO}{old}"):
            element.tag = f"{ECHO}{new}"
    return _written(root)


def _parsed(envelope: bytes) -> etree._Element:
    return etree.fromstring(envelope, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def _written(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")
