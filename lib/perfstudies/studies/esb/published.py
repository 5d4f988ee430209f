"""What the ESB study printed."""

from __future__ import annotations

import pandas as pd

from perfstudies.paths import PUBLISHED

LISTS = {
    "direct": "direct",
    "wso2-default": "synapse",
    "wso2-tuned": "synapse-tuned",
    "ultraesb": "camel",
    "ultraesb-zero-copy": "camel-zero-copy",
}
"""By which way each of the study's lists was measured again; of UltraESB's two, what stands beside them."""

LIST_LABELS = {
    "Direct": "Direct",
    "Synapse": "WSO2 ESB, default",
    "Synapse, more threads": "WSO2 ESB, more threads",
    "Camel": "UltraESB",
    "Camel, streaming": "UltraESB, zero copy",
}
"""What the study measured where a way, by its label, was measured here."""


def published_lists() -> pd.DataFrame:
    """Return messages a second as the study printed them: a row a number of clients, a column a way."""
    rows = pd.read_csv(PUBLISHED / "esb" / "throughput.csv")
    lists = rows.assign(route=rows["list"].map(LISTS))
    found = lists.pivot(index="concurrency", columns="route", values="messages_per_s")
    return found[list(LISTS.values())].sort_index(ascending=False).rename_axis(columns=None)


def published_connections() -> pd.DataFrame:
    """Return what the post on a client's connections says: a row a statement, its value in words."""
    printed = pd.read_csv(PUBLISHED / "esb" / "connections.csv", dtype=str, keep_default_na=False)
    values = (printed["value"] + " " + printed["unit"]).str.strip()
    return pd.DataFrame({"Value": values}).set_axis(pd.Index(printed["statement"], name="Statement"))
