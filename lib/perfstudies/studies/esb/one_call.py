"""One echo of 780 bytes in full, sent through Synapse to the back end: by zeep, and once more by the load's client."""

from __future__ import annotations

import inspect
from pathlib import Path

from perfstudies.load.rate.run import run_rate
from perfstudies.load.soap import KeepingTransport, connect
from perfstudies.one_call import OneCall
from perfstudies.studies.esb.base import RAW_LOG
from perfstudies.studies.esb.logs import rate
from perfstudies.studies.esb.server import engines
from perfstudies.studies.esb.warm_up import Target
from perfstudies.studies.esb.workload import echo

TIMEOUT_S = 60
build = engines.build


def send_echo(wsdl: str, through: str) -> KeepingTransport:
    """Send an echo request of zeep's to an engine, which passes it on; the transport keeps request and reply."""
    client = connect(wsdl, TIMEOUT_S, KeepingTransport)
    request = echo.envelope(client, size_bytes=780)
    client.transport.post(through, request.content, dict(request.headers))
    return client.transport


def make(folder: Path) -> OneCall:
    """Start back end and engine, call once, and return what that was."""
    with (
        engines.backend(folder / "backend") as back_end,
        engines.engine("synapse", folder / "engine", back_end.endpoint) as engine,
    ):
        transport = send_echo(back_end.wsdl, engine.address())
        row = _by_the_loads_client(back_end.wsdl, engine.address(), folder / RAW_LOG)
    return OneCall(
        "An echo of 780 bytes, built by zeep and sent through Synapse to an Axis2 service.",
        inspect.getsource(send_echo),
        transport.sent,
        transport.received,
        {f"{RAW_LOG} (binary; its only row, read)": row},
        build(),
    )


def _by_the_loads_client(wsdl: str, address: str, record: Path) -> str:
    """Send the same message once by the client for high rates, and return what its log says of it."""
    target = Target("Synapse", address, echo.envelope(connect(wsdl, TIMEOUT_S)))
    run_rate(target.plan(record, TIMEOUT_S, connections=1, messages=1, timeout_s=TIMEOUT_S))
    return rate.read(record).to_csv(index=False, float_format="%.6f")
