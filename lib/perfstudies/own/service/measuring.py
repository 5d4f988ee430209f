"""A comparison measured: its experiment, how a run of it goes, and where its runs are."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from perfstudies import sent as record
from perfstudies.errors import SystemFailed
from perfstudies.experiment import Experiment, Factor, Size
from perfstudies.own.service import bounds, plain
from perfstudies.own.service.declaration import Comparison, as_properties
from perfstudies.own.service.preparing import Prepared, prepare
from perfstudies.own.service.reading import PACKED, SETTING
from perfstudies.own.service.spread import Sender, over
from perfstudies.own.service.users import Job, Part
from perfstudies.permit import PORTS, Permit, is_loopback
from perfstudies.runs import lab, store
from perfstudies.runs.host import Noise, NoiseMeter
from perfstudies.runs.plan import Plan, PlannedRun
from perfstudies.runs.store import Run
from perfstudies.sent import Recorder, Sent

STUDY, PROFILE = "own", "own"
REQUESTS = PACKED.removesuffix(".xz")


def experiment(comparison: Comparison) -> Experiment:
    """Return a comparison as the lab's experiment of one factor; every target and load are other runs."""
    names = tuple(comparison.targets)
    properties = {name: as_properties(target, comparison.load) for name, target in comparison.targets.items()}
    return Experiment(
        study=STUDY,
        name=comparison.name,
        title="How do the settings of an own service compare?",
        system="own",
        load="open" if comparison.load.rate_per_s else "closed",
        factors=(Factor(SETTING, names, names, properties),),
        procedure=", ".join(sorted({one.procedure for one in comparison.targets.values()})),
        sizes={PROFILE: Size(blocks=comparison.runs, requests=comparison.load.requests)},
    )


def measure(
    comparison: Comparison, permitted: Permit, folder: Path, scheduler: str | None = None, show_progress: bool = True,
    kept: bool = True,
) -> list[Run]:  # fmt: skip
    """Measure the runs that a folder lacks and return all, in random order within blocks.

    Parameters
    ----------
    comparison : Comparison
    permitted : Permit
        Where it may be sent.
    folder : Path
        Of the runs.
    scheduler : str or None
        Of the Dask cluster whose workers send; None for this process.
    show_progress : bool
        Whether a progress bar goes to standard error.
    kept : bool
        Whether the folder stays, so that errors may name its files; if not, all runs must finish.

    Raises
    ------
    BadParameter
        If a target is on a host that is not permitted (nothing has been sent to it then), a bound is exceeded, or
        arguments do not fit.
    SystemFailed
        If a description is none, or a setting has no run that finished. Other failed runs are recorded as failed, as is
        one in which no request was answered without error.
    """
    named = [address for target in comparison.targets.values() for address in target.named]
    bounds.require(comparison, any([permitted.remote(address) for address in named]))
    plan = Plan.of(experiment(comparison), PROFILE, comparison.seed, folder=folder)
    missing = {run.setting[SETTING] for run in plan.missing}
    prepared = {name: prepare(comparison, name, permitted) for name in comparison.targets if name in missing}
    bounds.require(comparison, any(one.remote for one in prepared.values()))
    with over(scheduler if prepared else None) as send:  # nobody is asked to send where nothing is missing
        runs = lab.measure(
            plan, lambda run, into: _run(run, into, comparison, prepared, permitted, send, kept), show_progress
        )
    for name in comparison.targets:
        own = [run for run in runs if run.manifest["setting"][SETTING] == name]
        errors = [run.manifest["error"] for run in own if run.manifest["status"] != store.FINISHED]
        if len(errors) == len(own) or (errors and not kept):
            raise SystemFailed(f"{len(errors)} of {len(own)} runs of setting {name} failed; the first: {errors[0]}")
    return runs


def job_of(planned: PlannedRun, comparison: Comparison, one: Prepared, permitted: Permit) -> Job:
    """Return what a run's users send; all settings of a block have the same arrivals."""
    load, due_ns = comparison.load, []
    if load.rate_per_s:
        draw, at_s = random.Random(f"arrivals/{comparison.seed}/{planned.block}"), 0.0
        for number in range(load.requests):
            at_s += draw.expovariate(load.rate_per_s)
            due_ns.append((number, round(min(at_s, plain.LARGEST) * 1e9)))
    spacing_s = bounds.spacing_s(load.users, one.remote)
    return Job(one.target, one.description, permitted, load, tuple(range(load.users)), tuple(due_ns), spacing_s)


def _run(
    planned: PlannedRun, folder: Path, comparison: Comparison, prepared: Mapping[str, Prepared], permitted: Permit,
    send: Sender, kept: bool,
) -> tuple[Mapping[str, object], tuple[str, ...]]:  # fmt: skip
    one = prepared[planned.setting[SETTING]]
    outcomes, said = dict.fromkeys(record.OUTCOMES, 0), ""
    with Recorder(folder / REQUESTS) as recorder:

        def add(sent: Sent) -> None:
            nonlocal said
            said = said or sent.detail
            recorder.add(sent)
            outcomes[sent.outcome] += 1

        meter = NoiseMeter(*_listening(one.address))
        parts = send(job_of(planned, comparison, one, permitted), add)
        noise = meter.read()
    if failures := [part.failure for part in parts if part.failure]:
        raise SystemFailed(failures[0] + (f"; the requests that had ended are in {folder / REQUESTS}" if kept else ""))
    if not outcomes[record.OK]:  # there are no times in it
        said = said or parts[0].cut
        raise SystemFailed(f"{one.address} answered none of {sum(outcomes.values())} requests without error: {said}")
    store.compress(folder / REQUESTS, folder / PACKED)
    return _facts(planned, comparison, one, parts, outcomes, noise), (PACKED,)


def _facts(
    planned: PlannedRun, comparison: Comparison, one: Prepared, parts: list[Part], outcomes: Mapping[str, int],
    noise: Noise,
) -> dict[str, object]:  # fmt: skip
    return {
        "workload": {
            "load": planned.experiment.load,
            "amount": comparison.load.requests,
            "requests": sum(outcomes.values()),
            "outcomes": outcomes,
            "start_s": round(min(part.start_s for part in parts), 6),
            "message_bytes": one.message_bytes,
            "messages_prepared": one.messages_prepared,
            "arguments": json.loads(json.dumps(one.sent, default=str)),
            "generated": one.generated,
            "settings": list(comparison.targets),
            "cut": "; ".join(sorted({part.cut for part in parts if part.cut})),
        },
        "system": {"name": STUDY, **one.told},
        "hosts": {
            "sent": ", ".join(sorted({part.host for part in parts})),
            "served": ", ".join(sorted({peer for part in parts for peer in part.served})),
        },
        "load_s": round(max(part.took_s for part in parts), 3),
        "noise": noise.facts(),
    }


def _listening(address: str) -> set[int]:
    """Return who listens at an address of this machine, as far as one may know: what they do is no noise."""
    parts = urlsplit(address)
    if not is_loopback(parts.hostname or ""):
        return set()
    try:
        found: list[Any] = psutil.net_connections("tcp")
    except psutil.AccessDenied:
        return set()
    port = parts.port or PORTS[parts.scheme]
    return {one.pid for one in found if one.pid and one.status == psutil.CONN_LISTEN and one.laddr.port == port}
