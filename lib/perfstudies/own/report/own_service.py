"""How the runs of an own service came about: what was declared and sent, what went wrong, who sent and who served."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

import pandas as pd
import polars as pl

from perfstudies import sent as record
from perfstudies.own.service import arguments
from perfstudies.own.service.reading import SETTING, finished, records
from perfstudies.report.quality import oddities
from perfstudies.runs import store
from perfstudies.runs.store import Run

SHOWN = {
    "wsdl": "Description", "operation": "Operation", "service": "Service", "port": "Port", "url": "Address",
    "method": "Method", "values": "Values", "security": "Told by", "user": "User",
    "users": "Users", "think_s": "Think time (s)", "rate_per_s": "Arrivals (1/s)", "requests": "Requests of a run",
    "limit_s": "Limit of a run (s)",
}  # fmt: skip


def declared_table(runs: Sequence[Run]) -> pd.DataFrame:
    """Return what each setting was declared to be, a column a setting; what was left empty is left out."""
    columns = {}
    for run in finished(runs):
        manifest = run.manifest
        asked = {key: value for key, value in manifest["properties"].items() if value and key in SHOWN}
        if not asked.get("user"):
            asked.pop("security", None)
        columns[manifest["setting"][SETTING]] = {
            **{SHOWN[key]: value for key, value in asked.items()},
            "Messages go to": manifest["system"]["endpoint"],
            "Message (bytes)": str(manifest["workload"]["message_bytes"]),
            "Load": manifest["workload"]["load"],
        }
    return pd.DataFrame(columns).rename_axis("Declared")


def outcomes_table(runs: Sequence[Run]) -> pd.DataFrame:
    """Return how often each outcome came, a row a setting; only outcomes that came at all, besides success."""
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for run in finished(runs):
        rows[run.manifest["setting"][SETTING]].update(run.manifest["workload"]["outcomes"])
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("Setting")
    kept = [name for name in frame if name == record.OK or frame[name].any()]
    return frame[kept].rename(columns=lambda name: name[:1].upper() + name[1:])


def details_table(runs: Sequence[Run], most: int = 10) -> pd.DataFrame:
    """Return what requests that failed said, the most frequent first, at most so many rows."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for run in finished(runs):
        failed = records(run).filter(pl.col("outcome") != record.OK).group_by("outcome", "detail").len()
        for outcome, detail, count in failed.iter_rows():
            counts[run.manifest["setting"][SETTING], outcome, (detail or "")[:200]] += count
    rows = sorted(((*key, count) for key, count in counts.items()), key=lambda row: (-row[3], row))[:most]
    rows = rows or [("All", "None", "no request failed", 0)]
    return pd.DataFrame(rows, columns=["Setting", "Outcome", "Detail", "Requests"]).set_index("Setting")


def arguments_table(runs: Sequence[Run], most: int = 30) -> pd.DataFrame:
    """Return what was sent: a row a value, at most so many a setting, and whether it was generated from the schema.

    Settings that sent the same stand together.
    """
    senders: dict[str, list[str]] = {}
    workloads: dict[str, dict] = {}
    for run in finished(runs):
        name, workload = run.manifest["setting"][SETTING], run.manifest["workload"]
        same = json.dumps([workload["arguments"], workload["generated"]])
        workloads[same] = workload
        if name not in senders.setdefault(same, []):
            senders[same].append(name)
    parts = {}
    for same, names in senders.items():
        made = arguments.table(workloads[same]["arguments"])
        if len(made) > most:
            more = pd.DataFrame({"Value": [f"{len(made) - most:,} more"]}, index=pd.Index(["…"], name="Argument"))
            made = pd.concat([made.head(most), more])
        come_from = "the schema (generated)" if workloads[same]["generated"] else "the parameters"
        parts[", ".join(names)] = made.assign(From=come_from)
    return pd.concat(parts, names=["Setting"])


def remark(runs: Sequence[Run]) -> str:
    """Say who sent and who served, whose client cost more, which runs failed or were cut short, and which are noisy."""
    kept = finished(runs)
    pairs = dict.fromkeys(tuple(run.manifest["hosts"].values()) for run in kept)
    said = "; ".join(f"Sent by {sent}, served by {served}" for sent, served in pairs)
    failed = [run for run in runs if run.manifest["status"] == store.FAILED]
    odd = {
        "failed runs": [f"{run.name}: {run.manifest['error']}" for run in failed],
        "runs cut short": [f"{run.name}: {cut}" for run in kept if (cut := run.manifest["workload"]["cut"])],
        "noisy runs": [
            f"{run.name}: {'; '.join(reasons)}" for run in kept if (reasons := run.manifest["noise"]["reasons"])
        ],
    }
    return f"{said}. {_clients_that_differ(kept)}{oddities(odd)}"


def _clients_that_differ(runs: Sequence[Run]) -> str:
    """Say which settings' calls cost the client more than others', if any do; older runs do not say."""
    settings: dict[bool, list[str]] = {True: [], False: []}
    for run in runs:
        name, prepared = run.manifest["setting"][SETTING], run.manifest["workload"].get("messages_prepared")
        if prepared is not None and name not in settings[prepared]:
            settings[prepared].append(name)
    if not (settings[True] and settings[False]):
        return ""
    before, each = (", ".join(settings[prepared]) for prepared in (True, False))
    return (
        f"Messages to {before} are prepared before the load; those to {each} are not plain, and zeep builds each one "
        "in its call: part of a difference between these settings is the client's. "
    )
