"""The replications of one experiment spread over a cluster: a block is measured whole on one machine.

Settings are compared within blocks, so a difference between machines is in the block's term of the analysis and cannot
pass for an effect. A machine carries out its blocks with its own systems, one after the other, and sends the runs'
folders back.
"""

from __future__ import annotations

import base64
from itertools import groupby
from typing import Any

from distributed import Client

from perfstudies.errors import PerfstudiesError
from perfstudies.notebooks import cluster
from perfstudies.runs import lab
from perfstudies.runs.plan import Plan
from perfstudies.runs.store import Run


class LostBlocks(PerfstudiesError):
    """Some blocks of an experiment did not come back."""


def measure(client: Client, plan: Plan, quiet: bool = False) -> list[Run]:
    """Have the runs of an experiment that are not finished carried out on a cluster, and store them here.

    Parameters
    ----------
    client : distributed.Client
        From `perfstudies.notebooks.cluster.connected`.
    plan : Plan
        What to measure.
    quiet : bool
        Whether noisy runs are measured again at once, as `perfstudies.runs.lab.measure` does.

    Returns
    -------
    list of Run
        Finished, failed and skipped ones, in the order of the plan.

    Raises
    ------
    LostBlocks
        If a block did not come back, after all others have: the same call goes on with what is missing.
    BadRecording
        If what came is not what was asked for, or differs from its checksums.
    """
    blocks = [list(group) for _, group in groupby(plan.missing, key=lambda run: run.block)]
    orders: list[dict[str, Any]] = [
        {
            "key": runs[0].experiment.key,
            "profile": runs[0].profile,
            "seed": runs[0].seed,
            "names": [run.name for run in runs],
            "quiet": quiet,
        }
        for runs in blocks
    ]
    problems = []
    for number, answer in cluster.carry_out(client, "block", orders, alone=True):
        if "error" in answer:
            problems.append(f"{orders[number]['key']}, block {blocks[number][0].block + 1}: {answer['error']}")
            continue
        for name in orders[number]["names"]:
            files = answer["runs"][name]
            lab.adopt(plan.folder, name, {file: base64.b64decode(content) for file, content in files.items()})
    if problems:
        raise LostBlocks("; ".join(problems) + ". What came is kept; the same command goes on.")
    return plan.ended
