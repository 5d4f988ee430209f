"""A zeep client for measuring: safe parsing, its own connection, and the sizes of what went over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import requests
import zeep
import zeep.exceptions
import zeep.proxy
from lxml import etree
from lxml.etree import LxmlError

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load import guarded
from perfstudies.permit import LOOPBACK

NO_MESSAGE = "the answer is no SOAP message"
MOST_OF_A_PAGE = 200
"""Characters of an error page that are told."""
MOST_OF_AN_ERROR = 500
OF_DESCRIPTIONS = (
    requests.RequestException, LxmlError, zeep.exceptions.Error, OSError, ValueError, LookupError, AttributeError,
    TypeError, RecursionError,
)  # fmt: skip
"""What zeep raises of documents that are no description, or one that leads nowhere."""
SAFE = {"forbid_dtd": True, "forbid_entities": True, "forbid_external": True, "xml_huge_tree": False}


class CountingTransport(zeep.Transport):
    """zeep's transport, which also remembers how many bytes the last call sent and received."""

    bytes_out = 0
    bytes_in = 0

    def post(self, address: str, message: bytes, headers: Mapping[str, str]) -> requests.Response:
        """Send as zeep does, and count."""
        self.bytes_out, self.bytes_in = len(message), 0
        response = super().post(address, message, headers)
        self.bytes_in = len(response.content)
        return response


class KeepingTransport(CountingTransport):
    """zeep's transport, which also keeps the last message and its reply, as indented XML."""

    sent = received = reply_headers = ""

    def post(self, address: str, message: bytes, headers: Mapping[str, str]) -> requests.Response:
        """Send as zeep does, and keep."""
        response = super().post(address, message, headers)
        self.sent, self.received = indented(message), indented(response.content)
        self.reply_headers = "".join(f"{name}: {value}\n" for name, value in response.headers.items())
        return response


def indented(message: bytes) -> str:
    """Return an XML message as indented text; what is no XML as it is."""
    try:
        root = etree.fromstring(message, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except LxmlError:
        return message.decode("utf-8", "replace")
    etree.indent(root)
    return etree.tostring(root, encoding="unicode")


def connect(wsdl: str, timeout_s: float, transport: Callable[..., zeep.Transport] = CountingTransport) -> zeep.Client:
    """Return a zeep client with a connection of its own.

    Parameters
    ----------
    wsdl : str
        Address of the WSDL; it and the service it describes must be on loopback.
    timeout_s : float
        How long one call may take.
    transport : callable
        Makes the transport, given zeep's arguments ``session``, ``timeout`` and ``operation_timeout``.

    Raises
    ------
    BadParameter
        If an address is not on loopback.
    SystemFailed
        If no WSDL could be read there.
    """
    LOOPBACK.require(wsdl)
    session = guarded.session(LOOPBACK, set())
    client = described(wsdl, transport(session=session, timeout=timeout_s, operation_timeout=timeout_s))
    LOOPBACK.require(endpoint(client.service))
    return client


def described(wsdl: str, transport: zeep.Transport, external: bool = False) -> zeep.Client:
    """Return a zeep client of a description, whose service need not be where one may send.

    Parameters
    ----------
    wsdl : str
        What the transport is asked for first.
    transport : zeep.Transport
        Reads the description and carries the messages.
    external : bool
        Whether the description may import other documents by HTTP: only where the transport itself knows which.

    Raises
    ------
    BadParameter
        If the transport refuses to read something.
    SystemFailed
        If no WSDL with a service could be read there.
    """
    try:
        settings = zeep.Settings(**SAFE | {"forbid_external": not external})
        client = zeep.Client(wsdl, transport=transport, settings=settings)
        endpoint(client.service)
    except BadParameter:
        raise
    except OF_DESCRIPTIONS as error:
        raise SystemFailed(
            f"no usable WSDL at {wsdl}: {type(error).__name__}: {str(error)[:MOST_OF_AN_ERROR]}. "
            "Check that the address ends in ?wsdl and that a browser shows a <definitions> document there."
        ) from error
    # Answers import nothing.
    client.settings.forbid_external = True
    return client


def endpoint(service: zeep.proxy.ServiceProxy) -> str:
    """Return the address that a service's messages go to."""
    return service._binding_options["address"]


def operation(client: zeep.Client, name: str) -> Callable[..., Any]:
    """Return what calls an operation; `SystemFailed` if the service's description has none of that name."""
    try:
        return client.service[name]
    except AttributeError as error:
        raise SystemFailed(f"the service's description has no operation {name}: {error}") from error


class _Unsent(zeep.Transport):
    """Returns what it should send."""

    def post(self, address: str, message: bytes, headers: Mapping[str, str]) -> Any:
        return address, message, headers


def message(
    client: zeep.Client, name: str, body: Mapping[str, object], service: zeep.proxy.ServiceProxy | None = None
) -> tuple[str, bytes, Mapping[str, str]]:
    """Build an operation's message with zeep, and return the address, the message and the headers it would send.

    Parameters
    ----------
    client : zeep.Client
    name : str
        The operation's.
    body : mapping
        Its arguments.
    service : ServiceProxy, optional
        The client's, if not its first one.

    Raises
    ------
    BadParameter
        If the body does not fit the service's description.
    """
    call = operation(client, name) if service is None else service[name]
    sending, client.transport = client.transport, _Unsent()
    try:
        with client.settings(raw_response=True):
            return call(**body)
    except (zeep.exceptions.ValidationError, TypeError, ValueError) as error:
        raise BadParameter(f"{dict(body)} does not fit the service's description of {name}: {error}") from error
    finally:
        client.transport = sending


def said_by(fault: zeep.exceptions.Fault) -> tuple[str, etree._Element]:
    """Return what a fault says, and its detail, without children if there is none.

    An error page that happens to be XML comes as a fault with the page as its detail: it says what can be read there.
    """
    if isinstance(fault.detail, bytes | str):
        page = etree.fromstring(fault.detail, etree.XMLParser(resolve_entities=False, no_network=True))
        words = " ".join(map(str, page.itertext())).split()
        return f"{NO_MESSAGE}: {' '.join(words)[:MOST_OF_A_PAGE]}", etree.Element("detail")
    return str(fault.message), etree.Element("detail") if fault.detail is None else fault.detail
