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


def published_lists() -> pd.DataFrame:
    """Return messages a second as the study printed them: a row a number of clients, a column a way."""
    rows = pd.read_csv(PUBLISHED / "esb" / "throughput.csv")
    lists = rows.assign(route=rows["list"].map(LISTS))
    found = lists.pivot(index="concurrency", columns="route", values="messages_per_s")
    return found[list(LISTS.values())].sort_index(ascending=False).rename_axis(columns=None)
