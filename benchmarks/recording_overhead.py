"""What recording adds to a bare zeep loop: processor time of the client per call, as a ratio in one run.

Both loops call the real Flight Web Service with the same requests, in alternating batches, so that a drift of
the machine meets both. The bare loop is zeep with its own transport and nothing else.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import requests
import zeep
from tqdm import tqdm

from perfstudies.load import closed
from perfstudies.load.record import Recorder
from perfstudies.load.soap import SAFE, connect
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies import step_procedure
from perfstudies.systems import flight
from perfstudies.workloads import flight_data
from perfstudies.workloads.flight_load import Request

BATCHES = 20
CALLS = 20


def bare_client(wsdl: str) -> zeep.Client:
    """Return zeep as it is used without the lab; proxies are off in both loops."""
    session = requests.Session()
    session.trust_env = False
    return zeep.Client(wsdl, transport=zeep.Transport(session=session), settings=zeep.Settings(**SAFE))


def cpu_ms(work) -> float:
    """Return the processor time of this thread that a batch takes, per call in ms."""
    start_ns = time.thread_time_ns()
    for _ in range(CALLS):
        work()
    return (time.thread_time_ns() - start_ns) / CALLS / 1e6


def main() -> None:
    """Measure and print the ratio with its interval."""
    request = Request(0, 0, 0, "searchFlights", {"depart": "nowhere", "arrive": "nowhere"})
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        image = step_procedure.image(flight_data.generate())
        with flight.start(work / "server", image, {"log.level": "off", "monitor": "none"}) as service:
            bare, recorded = bare_client(service.wsdl), connect(service.wsdl, timeout_s=60)
            with Recorder(work / "client.csv") as recorder:

                def record() -> None:
                    recorder.add(closed.call(recorded, 0, request, time.monotonic_ns()))

                def call() -> None:
                    bare.service.searchFlights(**request.arguments)

                for warm_up in (call, record):
                    cpu_ms(warm_up)
                pairs = [(cpu_ms(record), cpu_ms(call)) for _ in tqdm(range(BATCHES), unit="batch")]
    ours, peer = zip(*pairs, strict=True)
    ratio = ratio_interval(ours, peer)
    print(f"client CPU per call: recorded {sum(ours) / BATCHES:.3f} ms, bare zeep {sum(peer) / BATCHES:.3f} ms")
    print(f"ratio recorded / bare: {ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}] (95 %, {BATCHES} batches)")


if __name__ == "__main__":
    main()
