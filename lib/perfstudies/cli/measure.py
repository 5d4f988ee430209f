"""Measures what is missing of experiments, those that share a bench after each other.

What is finished is not measured again.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from itertools import groupby

from perfstudies.cli.forecast import Forecast
from perfstudies.errors import PerfstudiesError
from perfstudies.experiment import Experiment
from perfstudies.paths import RAW
from perfstudies.runs import host, lab, store
from perfstudies.runs.pack import pack_folder
from perfstudies.runs.plan import Plan


def measure(
    chosen: Sequence[Experiment],
    profile: str,
    seed: int = 1,
    ended: Callable[[Experiment, list[store.Run] | None], None] | None = None,
    wait: bool = False,
    scheduler: str = "",
    quiet: bool = False,
) -> list[str]:
    """Measure what is missing of experiments.

    Parameters
    ----------
    chosen : sequence of Experiment
        In this order. Those that follow each other on one bench share what it keeps running.
    profile : str
        How much.
    seed : int
        Of the random order of settings.
    ended : callable, optional
        Called after each experiment with its runs, or with None if some setting has neither a finished run nor was
        skipped. Its bench is still open then, but idle.
    wait : bool
        Whether to wait until nothing else is measured on this machine.
    scheduler : str
        The address of a Dask cluster's scheduler: blocks are then measured on its machines, which wait for their locks.
    quiet : bool
        Whether noisy runs are measured again at once, as `perfstudies.runs.lab.measure` does.

    Returns
    -------
    list of str
        The experiments for which it was None.

    Raises
    ------
    BadParameter
        If an experiment has no such profile.
    MissingTool
        If Java or the built systems are missing.
    """
    for one in chosen:
        one.size(profile)
    plans = {one.key: Plan.of(one, profile, seed, one.module(one.bench).build()) for one in chosen}
    here = host.describe()["cpu"]
    for key, plan in plans.items():
        others = {run.manifest.get("host", {}).get("cpu", here) for run in plan.ended} - {here}
        if others and plan.missing and not scheduler:
            print(f"{key}: runs are of {', '.join(sorted(others))}, and what is missing will be of {here}: compare"
                  " only within blocks, or measure all of it here with another seed.", file=sys.stderr)  # fmt: skip
    forecast = Forecast(chosen, plans)
    print(forecast, flush=True)
    hopeless = []
    with closing(_measured(chosen, plans, wait, scheduler, quiet)) as measured:
        for one, runs in measured:
            settled = _settled(one, plans[one.key], runs)
            if not settled:
                hopeless.append(one.key)
            if ended:
                ended(one, runs if settled else None)
            if said := forecast.ended(one.key, runs):
                print(said, flush=True)
    return hopeless


def _measured(
    chosen: Sequence[Experiment], plans: Mapping[str, Plan], wait: bool, scheduler: str, quiet: bool
) -> Generator[tuple[Experiment, list[store.Run]]]:
    """Yield each experiment with its runs, while its bench is still open."""
    if scheduler:
        from perfstudies.notebooks import blocks, cluster
        from perfstudies.notebooks.blocks import LostBlocks

        with cluster.connected(scheduler) as client:
            for one in chosen:
                try:
                    runs = blocks.measure(client, plans[one.key], quiet)
                except LostBlocks as error:
                    _tell(error)
                    runs = []
                yield one, runs
        return
    for bench, group in groupby(chosen, key=lambda one: one.module(one.bench)):
        left = list(group)
        while left:
            try:
                with bench.bench() as procedure:
                    while left:
                        read = left[0].module(left[0].reader).read
                        runs = lab.measure(plans[left[0].key], procedure, wait=wait, read=read, quiet=quiet)
                        yield left.pop(0), runs
            except Exception as error:
                if type(error) is PerfstudiesError:
                    raise  # a full disk, or not this one's turn: nothing else could be measured
                _tell(error)
                if left:
                    yield left.pop(0), []


def _tell(error: Exception) -> None:
    """Say what a bench failed of, a mistake of the lab itself with its place: the next experiment gets another."""
    lines = [str(error)] if isinstance(error, PerfstudiesError) else traceback.format_exception(error)
    print(f"error: {''.join(lines)}", file=sys.stderr)


def _settled(one: Experiment, plan: Plan, runs: Sequence[store.Run]) -> bool:
    """Say what was skipped and what failed; return whether every setting has a finished run or was skipped."""
    finished = [run for run in runs if run.manifest["status"] == store.FINISHED]
    skipped = [run for run in runs if run.manifest["status"] == store.SKIPPED]
    for reason in sorted({run.manifest["error"] for run in skipped}):
        print(f"{one.key}: settings were skipped: {reason}", file=sys.stderr)
    if failed := len(runs) - len(finished) - len(skipped):
        print(f"{one.key}: {failed} of {len(runs)} runs failed; see above.", file=sys.stderr)
    ended = [run.manifest["setting"] for run in (*finished, *skipped)]
    errors = {" ".join(run.manifest["setting"].values()): run.manifest.get("error", "") for run in reversed(runs)}
    without = dict.fromkeys(" ".join(run.setting.values()) for run in plan.runs if run.setting not in ended)
    for setting in without:
        print(f"{one.key}: no finished run of {setting}: {errors.get(setting, 'none began')}", file=sys.stderr)
    return bool(finished) and not without


def record(one: Experiment, runs: Sequence[store.Run] | None) -> None:
    """Store an experiment's finished runs as the repository's, unless it is hopeless."""
    if runs is not None:
        finished = [run for run in runs if run.manifest["status"] == store.FINISHED]
        pack_folder(RAW / "reference" / one.study / one.name, finished)
