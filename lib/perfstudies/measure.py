"""Measure experiments from the command line: ``python -m perfstudies.measure --profile quick``.

What is finished is not measured again, so the same command goes on after Ctrl-C.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from statistics import mean

from perfstudies import lab, store
from perfstudies.errors import PerfstudiesError
from perfstudies.experiment import PROFILES, Experiment
from perfstudies.lab import PlannedRun
from perfstudies.paths import RAW
from perfstudies.studies import EXPERIMENTS, experiment, procedure_of

INTERRUPTED = 130


def expected_s(planned: Sequence[PlannedRun], finished: Sequence[store.Run]) -> float | None:
    """Return how long planned runs of one experiment will take, after finished ones of any size.

    A run's time is that of its set-up, plus that of its load, which grows with its amount.
    None if a setting has no finished run to learn from.
    """
    total_s = 0.0
    for run in planned:
        same = [
            (one.manifest["took_s"] - one.manifest["load_s"]) + one.manifest["load_s"] * _amount_ratio(run, one)
            for one in finished
            if one.manifest["setting"] == run.setting and one.manifest["status"] == store.FINISHED
        ]
        if not same:
            return None
        total_s += mean(same)
    return total_s


def _amount_ratio(planned: PlannedRun, finished: store.Run) -> float:
    """Return how many times the amount of a finished run a planned one has."""
    if planned.experiment.procedure == "ramp":
        return 1.0  # it ends where its system fails, however much is allowed
    amount = planned.experiment.size(planned.profile).amount_of(planned.setting)
    return amount / _amount(finished.manifest["workload"])


def _amount(workload: Mapping[str, float]) -> float:
    return workload["amount"] if "amount" in workload else workload["sessions"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m perfstudies.measure", description=__doc__)
    parser.add_argument("experiments", nargs="*", metavar="STUDY/NAME", help="all experiments if none is named")
    parser.add_argument("--profile", default="quick", help=f"one of {', '.join(PROFILES)} (default: quick)")
    parser.add_argument("--seed", type=int, default=1, help="of the random order of settings (default: 1)")
    parser.add_argument("--scheduler", default="", help="on a Dask cluster that you trust, by blocks: tcp://host:port")
    parser.add_argument("--record", action="store_true", help="then store the runs as the repository's reference runs")
    options = parser.parse_args(arguments)
    try:
        chosen = [experiment(key) for key in options.experiments] or list(EXPERIMENTS.values())
        ended = _record if options.record else _leave
        hopeless = measure(chosen, options.profile, options.seed, ended, scheduler=options.scheduler)
    except PerfstudiesError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Finished runs are kept; the same command goes on.", file=sys.stderr)
        return INTERRUPTED
    if hopeless:
        print(f"error: no finished run of some setting in {', '.join(hopeless)}", file=sys.stderr)
    return 1 if hopeless else 0


def _leave(one: Experiment, runs: Sequence[store.Run] | None) -> None:
    """Leave live runs where they are."""


def measure(
    chosen: Sequence[Experiment],
    profile: str,
    seed: int = 1,
    ended: Callable[[Experiment, list[store.Run] | None], None] = _leave,
    wait: bool = False,
    scheduler: str = "",
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
    ended : callable
        Called after each experiment with its runs, or with None if some setting has neither a finished run nor was
        skipped. Its bench is still open then, but idle.
    wait : bool
        Whether to wait until nothing else is measured on this machine.
    scheduler : str
        The address of a Dask cluster's scheduler: blocks are then measured on its machines, which wait their turns.

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
    plans = {}
    for one in chosen:
        one.size(profile)
        plans[one.key] = lab.plan(one, profile, seed, procedure_of(one)[1])
    _announce(chosen, plans)
    hopeless = []
    with closing(_measured(chosen, plans, wait, scheduler)) as measured:
        for one, runs in measured:
            settled = _settled(one, plans[one.key], runs)
            if not settled:
                hopeless.append(one.key)
            ended(one, runs if settled else None)
    return hopeless


def _measured(
    chosen: Sequence[Experiment], plans: Mapping[str, list[PlannedRun]], wait: bool, scheduler: str
) -> Iterator[tuple[Experiment, list[store.Run]]]:
    """Yield each experiment with its runs, while its bench is still open."""
    if scheduler:
        from perfstudies.batches import blocks, cluster

        with cluster.connected(scheduler) as client:
            for one in chosen:
                yield one, blocks.measure(client, plans[one.key], _folder(one))
        return
    for open_bench, group in groupby(chosen, key=lambda one: procedure_of(one)[0]):
        with open_bench() as procedure:
            for one in group:
                yield one, lab.measure(plans[one.key], _folder(one), procedure, wait=wait)


def _folder(one: Experiment) -> Path:
    return RAW / "live" / one.study / one.name


def _settled(one: Experiment, plan: Sequence[PlannedRun], runs: Sequence[store.Run]) -> bool:
    """Say what was skipped and what failed; return whether every setting has a finished run or was skipped."""
    finished = [run for run in runs if run.manifest["status"] == store.FINISHED]
    skipped = [run for run in runs if run.manifest["status"] == store.SKIPPED]
    for reason in sorted({run.manifest["error"] for run in skipped}):
        print(f"{one.key}: settings were skipped: {reason}", file=sys.stderr)
    if failed := len(runs) - len(finished) - len(skipped):
        print(f"{one.key}: {failed} of {len(runs)} runs failed; see above.", file=sys.stderr)
    ended = [run.manifest["setting"] for run in (*finished, *skipped)]
    return bool(finished) and all(run.setting in ended for run in plan)


def _announce(chosen: Sequence[Experiment], plans: dict[str, list[PlannedRun]]) -> None:
    expected: dict[str, list[float | None]] = {}
    missing_count = 0
    for one in chosen:
        live = list(store.runs(_folder(one)))
        names = {run.name for run in live if run.manifest["status"] == store.FINISHED}
        missing = [run for run in plans[one.key] if run.name not in names]
        missing_count += len(missing)
        known = expected_s(missing, live or list(store.runs(RAW / "reference" / one.study / one.name)))
        expected.setdefault(one.study, []).append(known)
    times = [one for study in expected.values() for one in study]
    if not missing_count:
        print("All runs are there; nothing to measure.", flush=True)
    elif None in times:
        print(f"{missing_count} runs to measure.", flush=True)
    else:
        by_study = ", ".join(f"{study} {sum(times) / 60:.1f}" for study, times in expected.items())
        print(
            f"{missing_count} runs to measure, expected to take {sum(times) / 60:.1f} minutes ({by_study}).",
            flush=True,
        )


def _record(one: Experiment, runs: Sequence[store.Run] | None) -> None:
    """Store an experiment's finished runs as the repository's, unless it is hopeless."""
    if runs is None:
        return
    folder = RAW / "reference" / one.study / one.name
    partial = folder.with_name(f"{one.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for run in (run for run in runs if run.manifest["status"] == store.FINISHED):
        target = partial / run.name
        target.mkdir(parents=True)
        for name in (store.MANIFEST, *run.manifest["files"]):
            shutil.copyfile(run.folder / name, target / name)
    shutil.rmtree(folder, ignore_errors=True)
    Path(partial).rename(folder)


if __name__ == "__main__":
    sys.exit(main())
