"""A service's description, read once with all that it imports, and the zeep client that calls by it.

Schemas may be imported from where loads may be sent and, by a description that is a file, from its folder and below.
The documents are kept, so that every user, on whatever machine, calls by the same description.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
import zeep
from requests.auth import AuthBase, HTTPBasicAuth
from zeep.wsse.username import UsernameToken

from perfstudies.errors import BadParameter, SystemFailed, require_one_of
from perfstudies.load import guarded, soap
from perfstudies.load.prepared import prepare
from perfstudies.own.service import plain
from perfstudies.own.service.declaration import BASIC, TOKEN_DIGEST, Target
from perfstudies.permit import PORTS, Permit
from perfstudies.runs.checksums import digest

ENCODING = "http://schemas.xmlsoap.org/soap/encoding/"
ENCODING_FILE = Path(__file__).with_name("soap-encoding.xsd")
"""What descriptions in the style rpc/encoded import: as published by the W3C and changed by M. Gudgin, under the W3C
Software Licence, as it is distributed with Apache CXF."""


@dataclass(frozen=True)
class Description:
    """The documents of a description by address or path, the first one's first."""

    location: str
    documents: dict[str, bytes]

    @property
    def sha256(self) -> str:
        """A checksum over all documents."""
        return digest(b"".join(self.documents[name] for name in sorted(self.documents)))


@dataclass
class Caller:
    """What calls one operation of a target.

    Attributes
    ----------
    client : zeep.Client
        With a connection of its own.
    service : zeep.proxy.ServiceProxy
        Of the chosen service, port and endpoint.
    address : str
        Where its messages go.
    prepared : bool
        Whether its messages are prepared beforehand; zeep builds and reads the others in each call.
    peers : set of str
        The addresses of the hosts that answered.
    """

    client: zeep.Client
    service: zeep.proxy.ServiceProxy
    address: str
    operation: str
    prepared: bool = False
    peers: set[str] = field(default_factory=set)

    @property
    def declared_faults(self) -> set[str]:
        """The names of the elements that the operation's declared faults have as detail."""
        faults = self.service._binding.get(self.operation).faults.values()
        parts = [part for fault in faults if fault.abstract for part in fault.abstract.parts.values()]
        return {part.element.qname.text for part in parts if part.element is not None}

    @property
    def input(self) -> Any:
        """zeep's element of the operation's body; None if it has none."""
        return self.service._binding.get(self.operation).input.body

    def call(self, arguments: Mapping[str, object]) -> object:
        """Call the operation and return what zeep makes of the answer."""
        return self.service[self.operation](**arguments)

    def message(self, arguments: Mapping[str, object]) -> bytes:
        """Return the message that a call would send, without sending it; raises as `perfstudies.load.soap.message`."""
        return soap.message(self.client, self.operation, arguments, self.service)[1]

    def close(self) -> None:
        """Close its connections."""
        self.client.transport.session.close()


def read(target: Target, permit: Permit, timeout_s: float = 30, most_bytes: int = guarded.REPLY_LIMIT) -> Description:
    """Read a target's description and all that it imports.

    Raises
    ------
    BadParameter
        If a document, or the service itself, is where one may not send, or there is no such service or operation.
    SystemFailed
        If it is no usable WSDL.
    """
    if target.is_file and not Path(target.location).is_file():
        raise SystemFailed(f"no usable WSDL at {target.location}: there is no such file")
    documents: dict[str, bytes] = {}
    caller(target, Description(target.location, documents), permit, timeout_s, most_bytes).close()
    return Description(target.location, documents)


def caller(
    target: Target, description: Description, permit: Permit, timeout_s: float, most_bytes: int = guarded.REPLY_LIMIT
) -> Caller:
    """Return what calls a target by a description; arguments and errors as `read`."""
    if not target.is_file:
        permit.require(target.location)
    peers: set[str] = set()
    session = guarded.session(permit, peers, most_bytes)
    transport = _Transport(
        description.documents, permit, target, session=session, timeout=timeout_s, operation_timeout=timeout_s
    )
    client = soap.described(target.location, transport, external=True)
    service = _service(client, target)
    address = soap.endpoint(service)
    permit.require(address)
    transport.trusted.add(_origin(address))
    require_one_of("operation", target.operation, sorted(dict(iter(service))))
    return Caller(client, service, address, target.operation, target.operation in prepare(client), peers)


class _Basic(AuthBase):
    """Tells name and password to those whom they are for: the description's own host and the service's.

    A description may import documents from wherever loads may be sent; these hosts are told nothing.
    """

    def __init__(self, user: str, password: str, trusted: Collection[tuple]):
        self._told, self._trusted = HTTPBasicAuth(user, password), trusted

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return self._told(request) if _origin(str(request.url)) in self._trusted else request


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


class _Transport(soap.CountingTransport):
    """Knows the documents of a description, reads those that are new if it may, and proves who calls.

    Attributes
    ----------
    trusted : set
        Scheme, host and port of those who may hear the password.
    """

    def __init__(self, documents: dict[str, bytes], permit: Permit, target: Target, **arguments: Any):
        super().__init__(**arguments)
        self.session.adapters.pop("file://")  # zeep's, which reads any file
        self.trusted = set() if target.is_file else {_origin(target.location)}
        if target.user and target.security == BASIC:
            password = plain.secret("password_variable", target.password_variable)
            self.session.auth = _Basic(target.user, password, self.trusted)
        self._documents, self._permit = documents, permit
        self._folder = Path(target.location).parent if target.is_file else None

    def load(self, url: str) -> bytes:
        """Return a document."""
        if url == ENCODING:
            return ENCODING_FILE.read_bytes()
        if url not in self._documents:
            self._documents[url] = self._read(url)
        return self._documents[url]

    def _read(self, url: str) -> bytes:
        if "://" in url:
            self._permit.require(url)
            return super().load(url)
        path = Path(os.path.realpath(url))
        if self._folder is None or not path.is_relative_to(self._folder):
            raise BadParameter(f"{url} is not in the description's folder or below: put the imported schema there")
        return path.read_bytes()


def _service(client: zeep.Client, target: Target) -> zeep.proxy.ServiceProxy:
    if target.user and target.security != BASIC:
        password = plain.secret("password_variable", target.password_variable)
        client.wsse = UsernameToken(target.user, password, use_digest=target.security == TOKEN_DIGEST)
    services = client.wsdl.services
    if target.service and target.service not in services:
        raise BadParameter.choice("service", target.service, services)
    chosen = services[target.service] if target.service else next(iter(services.values()))
    if target.port and target.port not in chosen.ports:
        raise BadParameter.choice("port", target.port, chosen.ports)
    port = chosen.ports[target.port] if target.port else next(iter(chosen.ports.values()))
    if target.endpoint:
        return client.create_service(port.binding.name, target.endpoint)
    return client.bind(chosen.name, port.name)
