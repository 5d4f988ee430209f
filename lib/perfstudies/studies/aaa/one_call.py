"""One request for access in full, against a fresh AAA server in GlassFish."""

from __future__ import annotations

import inspect
from pathlib import Path

from perfstudies.load.soap import KeepingTransport, connect
from perfstudies.one_call import OneCall
from perfstudies.studies.aaa import loads
from perfstudies.studies.aaa.server import containers

TIMEOUT_S = 60
build = containers.build


def ask_for_access(wsdl: str, arguments: dict) -> KeepingTransport:
    """Call the server once through zeep; the transport keeps what was sent and received."""
    client = connect(wsdl, TIMEOUT_S, KeepingTransport)
    client.service.AAARequest(**arguments)
    return client.transport


def make(folder: Path) -> OneCall:
    """Start the server, call it once, and return what that was."""
    with containers.start("glassfish", folder / "process", {"timer.unit_ms": "400"}) as server:
        server.deploy(folder / "run", {"timer.unit_ms": "400"})
        transport = ask_for_access(server.wsdl, loads.body("SNBpolicy01", 1))
        server.close()
    return OneCall(
        "A request for access as in the study's Appendix C, sent by zeep to the AAA server (GlassFish, H2).",
        inspect.getsource(ask_for_access),
        transport.sent,
        f"{transport.reply_headers}\n{transport.received}",
        {containers.SERVER_LOG: (folder / "run" / containers.SERVER_LOG).read_text(encoding="utf-8")},
        build(),
    )
