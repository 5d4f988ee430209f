"""A run that looks for the message at which a server with a bounded heap fails.

The study's Figure 12 shows requests that fail for lack of heap above some length. Here reservations for
ever larger groups are sent to a fresh process with a given heap until one fails; the ramp starts at another
size in each block, so that its steps fall differently. Then it is asked whether the server recovers: by a
search, a reservation for one person, the largest group that it had served, and a search once more, which comes later
than the others if those had to be waited for.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from lxml.etree import QName, _Element

from perfstudies import load_file
from perfstudies import sent as record
from perfstudies.errors import SystemFailed
from perfstudies.load.closed import call
from perfstudies.load.soap import connect
from perfstudies.runs.bench import Bench, Facts
from perfstudies.runs.plan import PlannedRun
from perfstudies.sent import Recorder
from perfstudies.studies.step import collect
from perfstudies.studies.step.bench import fresh_database, noise_meter, settings_of, system_facts
from perfstudies.studies.step.collect import CLIENT_LOG, size_bytes
from perfstudies.studies.step.server import flight, flight_images, generations
from perfstudies.studies.step.workload import flight_data, flight_load

FIRST_GROUP = 200
STEP = 1.5
TIMEOUT_S = 20
"""A request that takes longer has failed: the server collects garbage and does nothing else."""
RECOVERY_TIMEOUT_S = 5
"""One of those after it: a search takes a tenth of a second, and the longest message that is answered three."""
STOP_TIMEOUT_S = 5
"""A server without memory may not be able to end in order: it is killed then."""
OUT_OF_MEMORY = b"OutOfMemoryError"


def groups(seed: int, count: int) -> list[int]:
    """Return the passenger groups of a ramp: each `STEP` times the one before, from a random start."""
    first = FIRST_GROUP * STEP ** random.Random(seed).random()
    return [round(first * STEP**step) for step in range(count)]


def logical_length(root: _Element) -> int:
    """Return a message's XML logical length: that of all tag names, attribute names and text nodes (section 3.11).

    Prefixes, declarations of namespaces and white space between elements do not count: as the server's monitor has it.
    """
    total = 0
    for node in root.iter():
        if isinstance(node.tag, str):
            total += len(QName(node).localname) + sum(len(QName(name).localname) for name in node.attrib)
            total += _text_length(node.text)
        total += _text_length(node.tail)
    return total


def _text_length(text: str | None) -> int:
    return len(text) if text and not text.isspace() else 0


class RampBench(Bench):
    """Gives every run a process of its own."""

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run; as `perfstudies.studies.step.bench.FlightBench.carry_out`."""
        work = folder / "work"
        data = flight_data.generate()
        settings = settings_of(planned)
        generation = generations.named(settings.generation)
        heap_mb = settings.service.pop("heap_mb")
        seed = flight_load.study_load(planned.experiment.load).seed(planned.block)
        size = planned.experiment.size(planned.profile)
        record_file = folder / "client-0.csv"
        sent: list[dict] = []
        stopped = True
        with fresh_database(settings, work, data) as database:
            system = system_facts(planned, settings, database)
            try:
                heap = [f"-Xmx{heap_mb}m"]
                with flight.start(work, database, settings.service, heap, STOP_TIMEOUT_S, generation) as service:
                    meter = noise_meter(service, database)
                    sent = _ramp(service, data, seed, groups(seed, size.sessions_of(planned.setting)), record_file)
                    noise = meter.read()
                    alive = service.process.alive()
            except SystemFailed:
                if not sent:
                    raise
                stopped = False
        collect.client_log([record_file], folder)
        facts = {
            "workload": {
                "load": planned.experiment.load, "users": 1, "sessions": len(sent), "requests": None,
                "warm_up_sessions": 0, "seeds": [seed],
            },
            "system": system,
            "load_s": round(noise.took_s, 3),
            "noise": noise.facts(),
            "ramp": sent,
            "oom": any(_says(OUT_OF_MEMORY, work / log) for log in (flight.CONSOLE_LOG, flight.FUNCTIONAL_LOG)),
            "alive": alive,
            "stopped": stopped,
            "log_bytes": {"functional_log_bytes": size_bytes(work / flight.FUNCTIONAL_LOG)},
        }  # fmt: skip
        truncated, files = collect.monitor_log("layer", work / flight.MONITOR_FOLDER, folder)
        facts["truncated_records"] = truncated
        shutil.rmtree(work)
        return facts, (*files, CLIENT_LOG)


bench = RampBench.opened
build = flight_images.build


def _ramp(
    service: flight.Service, data: flight_data.FlightData, seed: int, ramp: list[int], record_file: Path
) -> list[dict]:
    """Send the ramp and the questions after it; return a line a request that the record does not have."""
    rng = flight_data.generator(seed)
    number = data.flights[0].number
    clients = {"ramp": connect(service.wsdl, TIMEOUT_S)}
    clients["recovery"] = clients["later"] = connect(service.wsdl, RECOVERY_TIMEOUT_S)
    sent: list[dict] = []
    with Recorder(record_file) as recorder:

        def send(phase: str, request: load_file.Request) -> bool:
            client = clients[phase]
            message = client.create_message(client.service, request.operation, **request.arguments)
            group = len(request.arguments.get("passenger", ()))
            sent.append(
                {"request": len(sent), "phase": phase, "group": group, "request_length": logical_length(message)}
            )
            ended = call(client, 0, request, 0)
            recorder.add(ended)
            return ended.outcome == record.OK

        largest = 0
        for group in ramp:
            if not send("ramp", flight_load.reservation(len(sent), number, group, rng)):
                break
            largest = group
        if service.process.alive():
            cities = {"depart": "London", "arrive": "Paris"}
            send("recovery", load_file.Request(len(sent), len(sent), 0, "searchFlights", cities))
            for group in (1, largest) if largest else (1,):
                send("recovery", flight_load.reservation(len(sent), number, group, rng))
            send("later", load_file.Request(len(sent), len(sent), 0, "searchFlights", cities))
    return sent


def _says(text: bytes, log: Path) -> bool:
    if not log.exists():
        return False
    with open(log, "rb") as lines:
        return any(text in line for line in lines)
