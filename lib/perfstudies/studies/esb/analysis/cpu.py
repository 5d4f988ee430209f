"""Where the processors' time goes while messages pass: by party, in its own code or in the kernel.

The study took a hop's price for input and output. Sockets are read and written in the kernel, and who waits for them
leaves a processor idle; so both can be told from processor times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from perfstudies.report.figures import COLOURS, HATCHES, WIDTH_INCH, style

PARTS = {
    "client_user_us": "Client",
    "client_system_us": "Client, kernel",
    "engine_user_us": "Engine",
    "engine_system_us": "Engine, kernel",
    "backend_user_us": "Back end",
    "backend_system_us": "Back end, kernel",
}
"""A run's processor times a message, in microseconds, by what they are called in tables."""
KERNEL = [name for name in PARTS.values() if name.endswith("kernel")]


def added(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each way takes of the processors for a message more than no way does.

    Parameters
    ----------
    runs : DataFrame
        A row a run, with its ``block``, its ``Way``, of which ``Direct`` is one, the columns of `PARTS`, and ``idle``.

    Returns
    -------
    DataFrame
        A row a way but ``Direct`` and a block that has direct runs, means over its runs: ``Added``, processor time of
        all parties more than direct (µs a message), ``Share``, how much of it is in the kernel (%), and ``Idle`` (%).
    """
    by = runs.rename(columns=PARTS).groupby(["block", "Way"], observed=True)
    parts = by[[*PARTS.values()]].mean()
    more = (parts.drop("Direct", level="Way") - parts.xs("Direct", level="Way")).dropna()
    whole = more.sum(axis="columns")
    found = pd.DataFrame({"Added": whole, "Share": 100 * more[KERNEL].sum(axis="columns") / whole})
    return found.join(by["idle"].mean().rename("Idle"))


def parts_figure(found: pd.DataFrame) -> Figure:
    """Draw processor time a message (µs) as stacked bars: a row a bar, a column one of `PARTS`."""
    with style():
        figure = Figure(figsize=(WIDTH_INCH, 1.5 + 0.45 * len(found)), layout="constrained")
        axes = figure.subplots()
        left = np.zeros(len(found))
        for at, column in enumerate(found):
            axes.barh(
                range(len(found)), found[column], left=left, label=column, color=COLOURS[at // 2],
                hatch=HATCHES[at % 2], edgecolor="white", linewidth=0.8, alpha=1 if at % 2 == 0 else 0.75,
            )  # fmt: skip
            left += found[column].to_numpy()
        axes.set_yticks(range(len(found)), found.index)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("Processor time a message (µs)")
        figure.legend(loc="outside upper center", ncols=3)
    return figure
