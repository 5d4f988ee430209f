"""What a slow link moves and how long it lets a request wait, from what two links add to the same requests.

Bytes between service and database are not counted anywhere. Each link's achieved bandwidth was measured with its run,
so what the links add to a request can be split under a stated assumption.
"""

from __future__ import annotations

import pandas as pd

KB_PER_MS_MBIT_S = 1e6 / 8 / 1e3 / 1e3
"""10^3 bytes that a link of 1 Mbit/s carries in a millisecond."""


def bytes_and_delay(added_ms: pd.DataFrame, mbit_s: pd.DataFrame) -> pd.DataFrame:
    """Split what two links add to a request into the bytes that it moves and the time that it waits.

    If a request moves the same bytes and waits equally long for its round trips over both links, then
    added = delay + bytes / bandwidth holds for each, and two links give both unknowns. Either may come out negative
    by noise.

    Parameters
    ----------
    added_ms : DataFrame, shape (blocks, 2)
        What each link adds to a request's time; a column a link, the faster first.
    mbit_s : DataFrame, shape (blocks, 2)
        What each link achieved, with the same rows and columns.

    Returns
    -------
    DataFrame
        ``kb`` (10^3 bytes moved) and ``delay_ms``, a row a block; missing where a link was not measured.
    """
    ms_per_kb = 1 / (mbit_s * KB_PER_MS_MBIT_S)
    fast, slow = added_ms.columns
    kb = (added_ms[slow] - added_ms[fast]) / (ms_per_kb[slow] - ms_per_kb[fast])
    return pd.DataFrame({"kb": kb, "delay_ms": added_ms[fast] - kb * ms_per_kb[fast]})
