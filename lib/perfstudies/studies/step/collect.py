"""What a run of the STEP study leaves: the logs of its threads and users, merged and compressed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perfstudies.runs import store
from perfstudies.sent import COLUMNS
from perfstudies.studies.step.logs import event_monitor, interceptions, layer_monitor

MONITOR_LOG = "monitor.log.gz"
CLIENT_LOG = "client.csv.gz"
PERF4J_LOG = "perf4j.log"


def monitor_log(
    monitor: str, parts: Path, folder: Path, kept: range | None = None
) -> tuple[list[str], tuple[str, ...]]:
    """Merge what a monitor wrote into a run's folder.

    Parameters
    ----------
    monitor : {"none", "layer", "event", "perf4j"}
        Which one it was.
    parts : Path
        Its folder.
    folder : Path
        The run's.
    kept : range, optional
        Of which requests Perf4J's or Event's log is kept, in the order of their arrival; of all by default. No log is
        kept if the range is empty.

    Returns
    -------
    truncated : list of str
        Records that were cut off.
    files : tuple of str
        The raw log's name; empty if there is none.
    """
    if monitor == "none" or (kept is not None and not kept):
        return [], ()
    merged = folder / "monitor.log"
    truncated: list[str] = []
    if monitor == "perf4j":
        (parts / PERF4J_LOG).rename(merged)
    else:
        merge = {"layer": layer_monitor.merge, "event": event_monitor.merge}[monitor]
        with open(merged, "w", encoding="utf-8", newline="\n") as out:
            truncated = merge(list(parts.glob("*.log")), out)
    if kept is not None:
        interceptions.keep(merged, kept)
    store.compress(merged, folder / MONITOR_LOG)
    return truncated, (MONITOR_LOG,)


def client_log(records: Sequence[Path], folder: Path) -> None:
    """Join the users' records into a run's folder under one heading; each line names its user."""
    merged = folder / "client.csv"
    with open(merged, "w", encoding="utf-8", newline="\n") as out:
        out.write(",".join(COLUMNS) + "\n")
        for path in records:
            if path.exists():
                with open(path, encoding="utf-8") as part:
                    next(part)
                    out.writelines(part)
                path.unlink()
    store.compress(merged, folder / CLIENT_LOG)


def size_bytes(path: Path) -> int:
    """Return a file's size, or that of all files in a folder; 0 if there is none."""
    if path.is_dir():
        return sum(size_bytes(one) for one in path.iterdir())
    return path.stat().st_size if path.exists() else 0
