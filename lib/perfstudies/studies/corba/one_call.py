"""One request of the object broker in full: the stub's call, and the messages as they pass a relay."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.one_call import OneCall
from perfstudies.paths import SYSTEMS
from perfstudies.studies.corba.server import orb

STUB_CALL = SYSTEMS / "corba" / "orb" / "src" / "main" / "java" / "perfstudies" / "orb" / "client" / "Sender.java"
DEMAND_US = 6000
LINE_BYTES = 16
GIOP = re.compile(rb"(?=GIOP)")
"""Each message of the broker's protocol begins so."""
HOST = b"127.0.0.1\0"
build = orb.build


@dataclass(frozen=True)
class Through:
    """A server as its client sees it that reaches it by a relay."""

    reference: str


@dataclass
class Passed:
    """What went through a relay, in either direction, and where it listens."""

    port: int = 0
    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)


def make(folder: Path) -> OneCall:
    """Start a server and a client, send one request, and return what that was."""
    load = orb.Load(due_ns=[0], connection=[0], connections=1, demands_us=(DEMAND_US,))
    with orb.start(folder / "server", 4, 1) as server:
        port = port_of(server.reference)
        with (
            relay(port) as passed,
            orb.client(folder / "client", Through(at_port(server.reference, passed.port)), load) as client,
        ):
            client.send()
            server.close()
    source = re.search(r" {4}private void call\(.*?\n {4}}\n", STUB_CALL.read_text(encoding="utf-8"), re.DOTALL)
    return OneCall(
        f"A request of {DEMAND_US / 1000:g} ms of processor time, by JacORB's stub of the object's interface.",
        source[0] if source else "",
        _hexadecimal(_last(bytes(passed.sent))),
        _hexadecimal(_last(bytes(passed.received))),
        {
            orb.CLIENT_RECORD: (folder / "client" / orb.CLIENT_RECORD).read_text(encoding="ascii"),
            orb.SERVER_RECORD: (folder / "server" / orb.SERVER_RECORD).read_text(encoding="ascii"),
        },
        build(),
    )


def port_of(reference: str) -> int:
    """Return the port in an object's reference (IOR) of JacORB, which writes numbers with their high byte first."""
    content, at = _port_place(reference)
    return int.from_bytes(content[at : at + 2], "big")


def at_port(reference: str, port: int) -> str:
    """Return an object's reference with another port."""
    content, at = _port_place(reference)
    return "IOR:" + (content[:at] + port.to_bytes(2, "big") + content[at + 2 :]).hex()


def _port_place(reference: str) -> tuple[bytes, int]:
    """Return a reference's bytes, and where its port stands: after the host's name, which ends with a zero."""
    content = bytes.fromhex(reference.removeprefix("IOR:"))
    at = content.find(HOST)
    if at < 0:
        raise SystemFailed(f"the reference does not name 127.0.0.1: {reference}")
    return content, at + len(HOST)


@contextmanager
def relay(port: int) -> Iterator[Passed]:
    """Pass whatever comes over loopback on to a port there, and keep it."""
    passed = Passed()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        passed.port = listening.getsockname()[1]
        threading.Thread(target=_accept, args=(listening, port, passed), daemon=True).start()
        yield passed


def _accept(listening: socket.socket, port: int, passed: Passed) -> None:
    while True:
        try:
            near, _ = listening.accept()
        except OSError:  # it was closed
            return
        far = socket.create_connection(("127.0.0.1", port))
        for source, target, kept in ((near, far, passed.sent), (far, near, passed.received)):
            threading.Thread(target=_pump, args=(source, target, kept), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
    try:
        while content := source.recv(1 << 16):
            kept += content
            target.sendall(content)
    except OSError:
        pass  # the other side has gone
    finally:
        target.close()


def _last(stream: bytes) -> bytes:
    """Return a stream's last message that is a request or a reply; the broker's own messages may come before it."""
    messages = [part for part in GIOP.split(stream) if part[7:8] in (b"\0", b"\1")]
    return messages[-1] if messages else b""


def _hexadecimal(message: bytes) -> str:
    """Return a message as lines of bytes with the characters that they would be."""
    lines = [message[at : at + LINE_BYTES] for at in range(0, len(message), LINE_BYTES)]
    readable = ["".join(chr(byte) if 32 <= byte < 127 else "." for byte in line) for line in lines]
    return "\n".join(
        f"{at * LINE_BYTES:04x}  {line.hex(' '):{3 * LINE_BYTES}} {text}"
        for at, (line, text) in enumerate(zip(lines, readable, strict=True))
    )
