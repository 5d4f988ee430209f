"""What the studies printed: their tables, as CSV files with the columns as printed."""

from __future__ import annotations

import pandas as pd

from perfstudies.errors import BadParameter
from perfstudies.paths import PUBLISHED


def published_table(study: str, number: int) -> pd.DataFrame:
    """Return a study's table by its number, indexed by its first column.

    Raises
    ------
    BadParameter
        If the table is not there; the message lists those that are.
    """
    path = PUBLISHED / study / f"table-{number}.csv"
    if not path.exists():
        known = [one.stem.removeprefix("table-") for one in sorted(path.parent.glob("table-*.csv"))]
        raise BadParameter.choice(f"table of {study}", number, known)
    return pd.read_csv(path, index_col=0)


def published_runs(study: str) -> pd.DataFrame:
    """Return the runs that a study's published tool chain lists, a row a run file, indexed by ``run``.

    Columns: ``load`` (name of the workload), ``monitor_log_format``, ``samples`` (how often it was
    repeated) and ``users`` (concurrent ones).
    """
    return pd.read_csv(PUBLISHED / study / "runs.csv", index_col="run", comment="#")


ESB_LISTS = {
    "direct": "direct",
    "wso2-default": "synapse",
    "wso2-tuned": "synapse-tuned",
    "ultraesb": "camel",
    "ultraesb-zero-copy": "camel-zero-copy",
}
"""By which way each of the ESB study's lists was measured again; of UltraESB's two, what stands beside them."""


def published_esb_lists() -> pd.DataFrame:
    """Return messages a second as the ESB study printed them: a row a number of clients, a column a way."""
    rows = pd.read_csv(PUBLISHED / "esb" / "throughput.csv")
    lists = rows.assign(route=rows["list"].map(ESB_LISTS))
    found = lists.pivot(index="concurrency", columns="route", values="messages_per_s")
    return found[list(ESB_LISTS.values())].sort_index(ascending=False).rename_axis(columns=None)
