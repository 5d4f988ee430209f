"""The process on a worker's machine that carries out one job: a point of a batch, or a block of an experiment.

It takes the job as a line of JSON on its standard input and writes what it gives as JSON to the file named in it. When
its standard input ends before that, whoever asked is gone: it interrupts what it does and ends.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from perfstudies.errors import PerfstudiesError
from perfstudies.files import temporary
from perfstudies.notebooks.warm_kernel import Fork
from perfstudies.notebooks.work import Job, carry_out
from perfstudies.runs import lab, store
from perfstudies.runs.plan import Plan
from perfstudies.studies import experiment

PATIENCE_S = 30.0
"""How long what was interrupted may take to stop its servers."""


def point(order: Mapping[str, Any]) -> dict:
    """Carry out a point; return its outcome."""
    kernel = Fork()
    _watch(kernel.interrupt)
    return asdict(carry_out(Job(**order), kernel.manager()))


def block(order: Mapping[str, Any]) -> dict:
    """Measure some runs of an experiment here; return their files.

    Parameters
    ----------
    order : mapping
        ``key``, ``profile`` and ``seed`` of the experiment, the ``names`` of the runs, and whether they are to be
        ``quiet``.

    Returns
    -------
    dict
        ``runs``: by name, each run's files by name in base64; its manifest is one of them.

    Raises
    ------
    PerfstudiesError
        If the systems built here are others than those of whoever asks: their runs are other runs.
    """
    _watch(lambda: os.kill(os.getpid(), signal.SIGINT))
    one = experiment(order["key"])
    bench = one.module(one.bench)
    with temporary("runs") as folder:
        whole = Plan.of(one, order["profile"], order["seed"], bench.build(), folder)
        plan = whole.only(order["names"])
        if len(plan.runs) != len(order["names"]):
            raise PerfstudiesError(f"{one.key}: the systems built here are others than those of the machine that asks")
        with bench.bench() as procedure:
            read = one.module(one.reader).read
            runs = lab.measure(plan, procedure, False, wait=True, read=read, quiet=order["quiet"])
        return {"runs": {run.name: _files(run) for run in runs}}


def main() -> int:
    """Carry out the job on standard input; return 0, or 1 with an ``error`` in the answer."""
    job = json.loads(sys.stdin.readline())
    carry: Callable[[Mapping[str, object]], dict] = {"point": point, "block": block}[job["kind"]]
    try:
        answer = carry(job["order"])
    except PerfstudiesError as error:
        answer = {"error": str(error)}
    except KeyboardInterrupt:
        answer = {"error": "interrupted"}
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")
    return 0


def _files(run: store.Run) -> dict[str, str]:
    names = [*run.manifest["files"]]
    if run.manifest["status"] != store.FINISHED:  # what had ended by then, which nobody listed
        names = [one.name for one in run.folder.iterdir() if one.is_file() and one.name != store.MANIFEST]
    names.append(store.MANIFEST)
    return {name: base64.b64encode((run.folder / name).read_bytes()).decode("ascii") for name in names}


def _watch(interrupt: Callable[[], None]) -> None:
    """Interrupt the work when standard input ends, and end this process if that does not help."""

    def wait() -> None:
        # Unbuffered: a lock of sys.stdin must not keep the process from ending.
        while os.read(0, 4096):
            pass
        interrupt()
        threading.Event().wait(PATIENCE_S)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
