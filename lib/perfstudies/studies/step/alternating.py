"""A run in which every session is sent once at each of several log levels, in random order.

Deployments of a service differ by more than its quiet log levels do. Within one deployment, and on the same requests,
what a level costs is compared without that.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from perfstudies import load_file
from perfstudies.load.closed import TIMEOUT_S, call, check_server
from perfstudies.load.prepared import prepare
from perfstudies.load.soap import connect
from perfstudies.runs.plan import PlannedRun
from perfstudies.sent import TRANSPORT_ERROR, Recorder
from perfstudies.studies.step.bench import FlightBench, build
from perfstudies.studies.step.server import flight
from perfstudies.studies.step.settings import RunSettings

__all__ = ["AlternatingBench", "bench", "build"]


class AlternatingBench(FlightBench):
    """As `FlightBench`, but the one user's measured sessions are sent at each level of the setting ``log.alternates``.

    Each session's requests are the same at every level. The manifest's ``alternated`` has the order of the levels, a
    list a session; requests are numbered as they were sent.
    """

    def send(
        self,
        planned: PlannedRun,
        settings: RunSettings,
        service: flight.Service,
        loads: Sequence[Path],
        records: Sequence[Path],
    ) -> dict[str, object]:
        """Send the measured load; as `FlightBench.send`.

        Raises
        ------
        SystemFailed
            If the server died or hung.
        """
        rng = random.Random(f"{planned.experiment.key} {planned.block}")
        client = connect(service.wsdl, TIMEOUT_S)
        prepare(client)
        orders = []
        requests = list(load_file.read(loads[0]))
        number = requests[0].request
        with Recorder(records[0]) as recorder:
            for _, session in groupby(requests, lambda request: request.session):
                same = list(session)
                order = rng.sample(settings.alternates, len(settings.alternates))
                orders.append(order)
                for level in order:
                    service.set_log_level(level)
                    for request in same:
                        sent = call(client, 0, request.numbered(number), 0)
                        recorder.add(sent)
                        if sent.outcome == TRANSPORT_ERROR:
                            check_server(sent, service.process.alive)
                        number += 1
        return {"alternated": orders}


bench = AlternatingBench.opened
