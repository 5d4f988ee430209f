"""An interval: an estimate with its bounds, which stays a number until it is shown.

Frames hold it as a cell, tables and sentences format it (``f"{interval:.2f}"``), charts draw its ends. Bounds may be
missing, as those of a single value are: then it is written without any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        In the statistic's unit; `low` and `high` are missing (NaN) if there is only one value.
    confidence : float
        Between 0 and 1.
    n : int
        How many values (runs or blocks) it rests on.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    n: int

    @property
    def margin(self) -> float:
        """Half the width of a symmetric interval: how far its upper end is from the estimate."""
        return self.high - self.estimate

    def __format__(self, spec: str) -> str:
        """Write the estimate with its interval, ``4.31 [4.12, 4.50]``, or with its margin if the specification begins
        with a plus-minus sign: ``f"{interval:±.2f}"`` gives ``4.31 ± 0.19``.

        The rest of the specification formats each number; ``,.2f`` if it is empty. An en dash stands for no estimate.
        """
        with_margin, each = spec.startswith("±"), spec.removeprefix("±") or ",.2f"
        if np.isnan(self.estimate):
            return "–"
        if with_margin:
            tail = f"± {self.margin:{each}}" if np.isfinite(self.margin) else "[no margin]"
        else:
            known = np.isfinite(self.low) and np.isfinite(self.high)
            tail = f"[{self.low:{each}}, {self.high:{each}}]" if known else "[no interval]"
        return f"{self.estimate:{each}} {tail}"

    def __str__(self) -> str:
        return format(self, "")

    def __rmul__(self, factor: float) -> Interval:
        """Return this in another unit: ``100 * share`` is in per cent."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(factor * self.estimate, low, high, self.confidence, self.n)

    def exp(self) -> Interval:
        """Return what this says of geometric means, if it was found from logarithms."""
        estimate, low, high = (float(np.exp(end)) for end in (self.estimate, self.low, self.high))
        return Interval(estimate, low, high, self.confidence, self.n)

    def clipped(self, lowest: float = -np.inf, highest: float = np.inf) -> Interval:
        """Return this with its ends no further than the quantity can be; the estimate stays as it is."""
        low, high = np.clip([self.low, self.high], lowest, highest)
        return Interval(self.estimate, float(low), float(high), self.confidence, self.n)


def ends(cells: pd.Series) -> pd.DataFrame:
    """Return a column of intervals as the columns estimate, low and high; a number has no ends."""
    rows = [
        (cell.estimate, cell.low, cell.high) if isinstance(cell, Interval) else (cell, np.nan, np.nan) for cell in cells
    ]
    return pd.DataFrame(rows, index=cells.index, columns=["estimate", "low", "high"], dtype=float)
