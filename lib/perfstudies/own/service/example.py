"""The comparison that stands for somebody's own: two makes of SOAP server, Metro and Apache CXF, answer the same order.

It is what comes recorded with the repository, and what is measured live if nobody has named a service.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from perfstudies.errors import SystemFailed
from perfstudies.files import temporary
from perfstudies.own.service import foreign_soap
from perfstudies.own.service.declaration import comparison
from perfstudies.own.service.measuring import STUDY, measure
from perfstudies.paths import RAW
from perfstudies.permit import LOOPBACK
from perfstudies.runs import store
from perfstudies.runs.pack import pack_folder
from perfstudies.runs.store import Run

NAME = "two-makes"
TARGET = {"operation": "order"}
WARM_UP_REQUESTS = 2000
"""To each server before the first run, so that its compiler has seen the code. What is left of it the report finds."""


def measured(
    folder: Path, load: Mapping[str, object], runs: int, seed: int, warm_up: int = WARM_UP_REQUESTS
) -> list[Run]:
    """Start both makes, send to them in turn, and stop them.

    Parameters
    ----------
    folder : Path
        Of the runs. Free ports are others each time, so what is in it is not measured again for them.
    load : mapping
        Fields of `perfstudies.own.service.declaration.Load`.
    runs, seed : int
        As of `perfstudies.own.service.declaration.Comparison`.
    warm_up : int
        Requests to each server beforehand.

    Raises
    ------
    MissingTool
        If Java is missing, or the systems have not been built.
    SystemFailed
        If a server does not start, dies or does not answer.
    """
    with temporary("own") as work:
        with foreign_soap.start("metro", work / "metro") as metro, foreign_soap.start("cxf", work / "cxf") as cxf:
            settings = {"Metro": {"wsdl": metro.wsdl("wrapped")}, "CXF": {"wsdl": cxf.wsdl("wrapped")}}
            wanted = comparison(NAME, TARGET, load, settings, runs, seed)
            if warm_up:
                before = replace(wanted, runs=1, load=replace(wanted.load, rate_per_s=None, requests=warm_up))
                measure(before, LOOPBACK, work / "warm-up", show_progress=False)
            return measure(wanted, LOOPBACK, folder)


def record() -> Path:
    """Measure the comparison and return where its runs are now: they replace the recorded ones when all have finished.

    Nothing else should run on the machine meanwhile.
    """
    folder = RAW / "reference" / STUDY / NAME
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    runs = measured(partial, {"requests": 500}, runs=10, seed=1)
    if failed := [run for run in runs if run.manifest["status"] != store.FINISHED]:
        raise SystemFailed(f"{len(failed)} of {len(runs)} runs failed; the first: {failed[0].manifest['error']}")
    packed = pack_folder(folder, runs)
    shutil.rmtree(partial)
    return packed
