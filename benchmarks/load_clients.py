"""What a request costs the client that sends it: processor time, ours against their peers, as ratios in one run.

All clients send the same 780-byte SOAP envelope to the same nginx on this machine, which answers with 906 bytes. With
two processors or more nginx has one for itself, and every client runs on one other; otherwise it would be chance how
often a client has to wake the server's processor, which costs more than all else that the fastest of them do. A round
measures each client once, in random order; a ratio is of one round.

Clients with a process of their own (50 connections, one thread where they let one choose) run twice a round, short and
long. The difference of the processor times, user and system, as the kernel counts them for ended processes, divided by
the difference of the requests answered, is the cost of one: start-up is out of it. httpcore-ab's machine still compiles
during the longer run, so some warm-up is in its cost. The rate client logs every request all the while.

zeep's ways of sending are measured in this process, around 300 calls each, in batches by turns after some that warm up;
one connection, one call at a time. A call is whole: zeep builds and checks the message, it is sent, and zeep parses the
reply to typed objects.

``python benchmarks/load_clients.py [ROUNDS] [--installed] [--share SHARE]``: 6 rounds if not given; Locust is installed
if it is not there, unless only what is installed is to be measured; a share of the requests can be sent instead of all.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random

from peers import echo
from peers.calls import ZeepCalls
from peers.cpus import on_cpus
from peers.programs import Program, programs
from peers.server import trivial_server
from tqdm import tqdm

from perfstudies.errors import MissingTool, PerfstudiesError, SystemFailed

ROUNDS = 6
LEAST_ROUNDS = 5
LIMIT_S = 150
"""After so long nothing further is measured, but that one round is there."""
SEED = 20120901

WRK, ZEEP = "wrk", "zeep + requests"
# Two clients, and the bound of the ratio of the first to the second.
PROMISES = [("rate client", WRK, "at most", 1.5), (ZEEP, "zeep + SocketTransport, prepared", "at least", 5.0)]


def cost_us(program: Program) -> float:
    """Return the processor time of a request to a client with a process of its own, in us."""
    used, answered = [], []
    for length in (program.short, program.long):
        before_s = _children_s()
        answered.append(program.run(length))
        used.append(_children_s() - before_s)
    cost = (used[1] - used[0]) / (answered[1] - answered[0]) * 1e6
    if cost <= 0:
        raise SystemFailed(f"{program.name}: the longer run took less; let nothing else run on this machine")
    return cost


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rounds(
    measures: Sequence[Callable[[], dict[str, float]]], random: Random, count: int = ROUNDS
) -> list[dict[str, float]]:
    """Measure each client once a round, in random order, until there are enough rounds or the time is over."""
    made, now, give_up = [], {}, time.monotonic() + LIMIT_S
    with tqdm(total=count * len(measures)) as progress:
        while len(made) < count:
            for measure in random.sample(measures, len(measures)):
                if made and time.monotonic() > give_up:
                    return made  # without the round that was begun
                now |= measure()
                progress.update()
            made.append(now)
            now = {}
    return made


def table(made: list[dict[str, float]], names: Iterable[str]) -> str:
    """Return the costs, and what they are to the first of their kind."""
    lines = [f"{'processor time of the client, us a request':42} {'median':>8} {'min':>8} {'max':>8}"]
    for name in names:
        costs = [one[name] for one in made]
        lines.append(f"{name:42} {statistics.median(costs):8.1f} {min(costs):8.1f} {max(costs):8.1f}")
        if name in (ZEEP, WRK):
            continue
        if name.startswith("zeep"):
            lines[-1] += f"   {ZEEP} costs {_said(_ratios(made, ZEEP, name))} times as much"
        elif WRK in made[0]:
            lines[-1] += f"   {_said(_ratios(made, name, WRK))} times {WRK}"
    return "\n".join(lines)


def verdicts(made: list[dict[str, float]]) -> list[str]:
    """Return what became of each promise."""
    lines = []
    for name, peer, kind, bound in PROMISES:
        if not {name, peer} <= set(made[0]):
            lines.append(f"{name} / {peer}: not measured")
            continue
        ratios = _ratios(made, name, peer)
        median = statistics.median(ratios)
        holds = median <= bound if kind == "at most" else median >= bound
        said = "holds" if holds else "DOES NOT HOLD"
        lines.append(f"{name} / {peer}: {_said(ratios)}, promised {kind} {bound:g}: {said}")
    return lines


def _ratios(made: list[dict[str, float]], name: str, peer: str) -> list[float]:
    return [one[name] / one[peer] for one in made]


def _said(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> int:
    """Measure, print the table and the promised ratios."""
    parser = argparse.ArgumentParser(description="What a request costs the client that sends it.")
    parser.add_argument("rounds", nargs="?", type=int, default=ROUNDS)
    parser.add_argument("--installed", action="store_true", help="leave Locust out if it is not installed")
    parser.add_argument("--share", type=float, default=1.0, help="of the requests, to see that all runs")
    options = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    servers, clients = ({cpus[0]}, {cpus[1]}) if len(cpus) > 1 else (None, None)
    with tempfile.TemporaryDirectory() as name, on_cpus(clients):
        folder = Path(name)
        try:
            with trivial_server(folder, echo.reply(), servers) as address:
                found, missing = programs(address, folder, not options.installed, options.share)
                random = Random(SEED)
                calls = ZeepCalls(address, random, options.share)
                measures = [*(lambda one=one: {one.name: cost_us(one)} for one in found), calls]
                made = rounds(measures, random, options.rounds)
        except PerfstudiesError as error:
            print(f"Nothing was measured: {error}")
            return 0 if isinstance(error, MissingTool) else 1
    print(table(made, [*(one.name for one in found), *calls.names]))
    print(*missing, *verdicts(made), sep="\n")
    if len(made) < min(LEAST_ROUNDS, options.rounds):
        print(f"Only {len(made)} rounds were made in {LIMIT_S} s, of at least {LEAST_ROUNDS}: this machine is busy.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
