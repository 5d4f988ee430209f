"""What recording adds to a bare zeep loop: processor time of the client per call, as a ratio in one run.

Both loops call the real Flight Web Service with the same requests, in alternating batches, so that a drift of
the machine meets both. The bare loop is zeep with its own transport and nothing else.

``python benchmarks/recording_overhead.py [BATCHES]``, 20 if not given.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import requests
import zeep
from tqdm import tqdm

from perfstudies.load import closed
from perfstudies.load.soap import SAFE, connect
from perfstudies.load_file import Request
from perfstudies.sent import Recorder
from perfstudies.stats.intervals import ratio_interval
from perfstudies.studies.step.server import flight, flight_images
from perfstudies.studies.step.workload import flight_data

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
    batches = int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES
    request = Request(0, 0, 0, "searchFlights", {"depart": "nowhere", "arrive": "nowhere"})
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        image, home = flight_images.image(flight_data.generate()), work / "server"
        settings = {"log.level": "off", "monitor": "none"}
        with flight.start(home, flight.h2(home, image), settings) as service:
            bare, recorded = bare_client(service.wsdl), connect(service.wsdl, timeout_s=60)
            with Recorder(work / "client.csv") as recorder:

                def record() -> None:
                    recorder.add(closed.call(recorded, 0, request, time.monotonic_ns()))

                def call() -> None:
                    bare.service.searchFlights(**request.arguments)

                for warm_up in (call, record):
                    cpu_ms(warm_up)
                pairs = [(cpu_ms(record), cpu_ms(call)) for _ in tqdm(range(batches), unit="batch")]
    ours, peer = zip(*pairs, strict=True)
    ratio = ratio_interval(ours, peer)
    print(f"client CPU per call: recorded {sum(ours) / batches:.3f} ms, bare zeep {sum(peer) / batches:.3f} ms")
    print(f"ratio recorded / bare: {ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}] (95 %, {batches} batches)")


if __name__ == "__main__":
    main()
