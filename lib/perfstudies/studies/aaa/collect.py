"""What a run of the AAA study leaves: the clients' records joined, the server's record, the study's own two logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perfstudies.exchange import COLUMNS
from perfstudies.runs import store
from perfstudies.studies.aaa.loads import NOT_RECORDED, Phase
from perfstudies.studies.aaa.server.containers import SERVER_LOG

CLIENT_RECORD = "client.csv.xz"
SERVER_RECORD = f"{SERVER_LOG}.xz"
MESSAGES = "messages.csv.xz"


def collect(phases: Sequence[Phase], work: Path, folder: Path) -> tuple[str, ...]:
    """Compress a run's logs into its folder, without requests that prepared the run, and return their names.

    Parameters
    ----------
    phases : sequence of Phase
        Those that were sent, with their clients' files.
    work : Path
        The server's folder.
    folder : Path
        The run's.
    """
    plans = [plan for phase in phases for plan in phase.plans]
    merged = folder / "client.csv"
    with open(merged, "w", encoding="utf-8", newline="\n") as out:
        out.write(",".join(COLUMNS) + "\n")
        for plan in plans:
            with open(plan.record, encoding="utf-8") as part:
                next(part)
                out.writelines(part)
            plan.record.unlink()
    store.compress(merged, folder / CLIENT_RECORD)
    served = folder / SERVER_LOG
    with open(work / SERVER_LOG, encoding="utf-8") as every, open(served, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line for line in every if line.split(",", 2)[1:2] != [str(NOT_RECORDED)])
    store.compress(served, folder / SERVER_RECORD)
    files = [CLIENT_RECORD, SERVER_RECORD]
    for log in (log for plan in plans for log in (plan.total_log, plan.ejb_log) if log):
        files.append(f"{log.name}.xz")
        store.compress(log, folder / files[-1])
    return tuple(files)
