"""HTTP/1.1 on sockets, for clients that count every exchange: requests as bytes, replies read piece by piece.

zeep builds the messages; this only carries them. A client library that retries, pools or follows redirects would hide
what the study counts: connections that are refused, lost, or outlive their time.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.exchange import HTTP_ERROR, LOST, OK, REFUSED, SOAP_FAULT, TIMED_OUT
from perfstudies.load.http.limits import ADVICE

HEAD_LIMIT = 1 << 16
DETAIL_LIMIT = 100
EJB_TIME = "SOAPAction"

_SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
# Linux chooses the port when it connects, so that ports are shared by connections to different peers.
_BIND_ADDRESS_NO_PORT = 24


@lru_cache(64)
def head(address: str, headers: tuple[tuple[str, str], ...], keep_alive: bool) -> bytes:
    """Return a request's head up to ``Content-Length:``, whose value it ends before.

    Raises
    ------
    BadParameter
        If the address is not plain HTTP, or something in it or in a header would end its line.
    """
    parts = urlsplit(address)
    if parts.scheme != "http":
        raise BadParameter(f"{address}: the clients speak plain HTTP; give an address that starts with http://")
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    fixed = {"Host": parts.netloc, "Connection": "keep-alive" if keep_alive else "close"} | dict(headers)
    fixed.pop("Content-Length", None)
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fixed.items()), "Content-Length: "]
    for line in lines:
        if "\r" in line or "\n" in line:
            raise BadParameter(f"a header is one line, and this one has a line break: {line!r}")
    return "\r\n".join(lines).encode("latin-1")


class Request:
    """A prepared message; `numbered` makes the bytes of one request of it."""

    def __init__(self, address: str, message: bytes, headers: Mapping[str, str], keep_alive: bool):
        fixed = head(address, tuple(headers.items()), keep_alive)
        self._head, self._message = b"%b%d\r\nX-Request: " % (fixed, len(message)), message

    def numbered(self, client: int, number: int) -> bytes:
        """Return the request's bytes, with the header ``X-Request`` that says whose it is."""
        return b"%b%d/%d\r\n\r\n%b" % (self._head, client, number, self._message)


class BadReply(Exception):
    """What came back is not HTTP."""


class _Headers(dict):
    """By names in small letters; asked for in any."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name.lower())

    def __contains__(self, name: Any) -> bool:
        return super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


class Reply:
    """An HTTP reply as it comes in; once complete it serves zeep as requests' response does.

    Attributes
    ----------
    status_code : int
        0 until the head is there.
    headers : mapping
        Names in any case.
    content : bytes
        The body, once complete.
    started, complete : bool
        Whether any byte, and whether all of it is there.
    """

    encoding = None

    def __init__(self) -> None:
        self.status_code, self.content = 0, b""
        self.headers = _Headers()
        self.started = self.complete = False
        self._buffer, self._body = bytearray(), bytearray()
        self._left: int | None = None  # of the body or chunk; None: until the connection ends
        self._chunked = False

    def feed(self, data: bytes) -> bool:
        """Take bytes from the connection, none for its end, and return whether the reply is complete.

        Raises
        ------
        BadReply
            If they are not HTTP.
        """
        if not data:
            self.complete = self.complete or (self.status_code != 0 and self._left is None and not self._chunked)
            if self.complete:
                self.content = self.content or bytes(self._body)
            return self.complete
        self.started = True
        self._buffer += data
        try:
            while not self.status_code:
                if not self._take_head():
                    return False
            self.complete = self._take_chunks() if self._chunked else self._take_body()
        except (ValueError, IndexError) as error:
            raise BadReply(f"not HTTP: {bytes(self._buffer[:40])!r}") from error
        if self.complete:
            self.content = bytes(self._body)
        return self.complete

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another request after this complete reply."""
        length_known = self._left is not None or self._chunked
        return length_known and not self._buffer and "close" not in self.headers.get("Connection", "").lower()

    @property
    def ejb_ms(self) -> float | None:
        """The EJB time that the server tells; None if it does not."""
        try:
            return float(self.headers[EJB_TIME])
        except (KeyError, ValueError):
            return None

    def _take_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if not self._buffer.startswith(b"HTTP/1."[: len(self._buffer)]) or (end < 0 and len(self._buffer) > HEAD_LIMIT):
            raise ValueError
        if end < 0:
            return False
        status, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        code = int(status.split()[1])
        del self._buffer[: end + 4]
        if code < 200:  # "100 Continue" and its kind: the reply follows
            return bool(self._buffer)
        self.status_code = code
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self._chunked = "chunked" in self.headers.get("Transfer-Encoding", "").lower()
        if "Content-Length" in self.headers:
            self._left = int(self.headers["Content-Length"])
            if self._left < 0:
                raise ValueError
        elif code in (204, 304) or self._chunked:
            self._left = 0
        return True

    def _take_body(self) -> bool:
        taken = self._buffer if self._left is None else self._buffer[: self._left - len(self._body)]
        self._body += taken
        del self._buffer[: len(taken)]
        return self._left is not None and len(self._body) >= self._left

    def _take_chunks(self) -> bool:
        while True:
            line_end = self._buffer.find(b"\r\n")
            if line_end < 0:
                return False
            size = int(bytes(self._buffer[:line_end]).partition(b";")[0], 16)
            if size == 0:  # trailers may follow; the reply ends with an empty line
                end = self._buffer.find(b"\r\n\r\n", line_end)
                del self._buffer[: end + 4 if end >= 0 else 0]
                return end >= 0
            if size < 0:
                raise ValueError
            if len(self._buffer) < line_end + 2 + size + 2:
                return False
            self._body += self._buffer[line_end + 2 : line_end + 2 + size]
            del self._buffer[: line_end + 2 + size + 2]


def judge(reply: Reply) -> tuple[str, str]:
    """Return the outcome and the detail of a complete reply: a fault by its name, anything but SOAP by its status."""
    try:
        body = etree.fromstring(reply.content, _PARSER).find(f"{_SOAP}Body")
    except (etree.XMLSyntaxError, ValueError):
        body = None
    if body is None:
        return HTTP_ERROR, f"HTTP {reply.status_code} without SOAP"
    if len(body) == 0:
        return HTTP_ERROR, f"HTTP {reply.status_code} with an empty body"
    fault = body.find(f"{_SOAP}Fault")
    if fault is None:
        return (OK, "") if reply.status_code == 200 else (HTTP_ERROR, f"HTTP {reply.status_code}")
    names = [etree.QName(child).localname for child in fault.iterfind("detail/*")]
    return SOAP_FAULT, (names[0] if names else fault.findtext("faultstring") or "no text")[:DETAIL_LIMIT]


def failure(error: OSError, reply: Reply) -> tuple[str, str]:
    """Return the outcome and the detail of an exchange that broke.

    Raises
    ------
    SystemFailed
        If it is the client that ran out of something: then it did not measure the server.
    """
    if error.errno and (advice := ADVICE.get(error.errno)):
        raise SystemFailed(f"the client ran out of something ({os.strerror(error.errno)}): {advice}") from error
    detail = os.strerror(error.errno) if error.errno else str(error)
    if isinstance(error, TimeoutError):
        return TIMED_OUT, detail[:DETAIL_LIMIT]
    broken = isinstance(error, ConnectionError) and not reply.started
    return REFUSED if broken else LOST, detail[:DETAIL_LIMIT]


def new_socket(source: str) -> socket.socket:
    """Return a TCP socket that sends from an address (empty: the system's choice), small parts at once."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if source:
            if os.uname().sysname == "Linux":
                made.setsockopt(socket.IPPROTO_IP, _BIND_ADDRESS_NO_PORT, 1)
            made.bind((source, 0))
    except BaseException:
        made.close()
        raise
    return made


def peer(address: str) -> tuple[str, int]:
    """Return host and port of a service's address."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if ":" in host:
        raise BadParameter(f"{address}: the clients speak IPv4; let the server listen on 127.0.0.1")
    return host, parts.port or 80


def still_open(connection: socket.socket) -> bool:
    """Whether a kept connection can carry a request: neither its end nor anything else came. It blocks no more."""
    connection.setblocking(False)
    try:
        connection.recv(1)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
