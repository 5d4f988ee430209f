"""An interval: an estimate with its bounds, which stays a number until it is shown.

Frames hold it as a cell, tables and sentences format it (``f"{interval:.2f}"``), charts draw its ends. Bounds may be
missing, as those of a single value are: then it is written without any.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

TOO_WIDE = 1000
"""Times an estimate above zero, beyond which the end of an interval says nothing."""


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

    @property
    def is_symmetric(self) -> bool:
        """Whether the estimate is in the middle; it is not of ratios, and where an end was cut."""
        rounding = 1e-12 * abs(self.estimate)
        return math.isclose(self.high - self.estimate, self.estimate - self.low, rel_tol=1e-6, abs_tol=rounding)

    def __format__(self, spec: str) -> str:
        """Write the estimate with its interval, ``4.31 [4.12, 4.50]``, or with its margin if the specification begins
        with a plus-minus sign: ``f"{interval:±.2f}"`` gives ``4.31 ± 0.19``.

        The rest of the specification formats each number; ``,.2f`` if it is empty. An en dash stands for no estimate.
        An interval that is not symmetric has no margin and is written with its ends, one that reaches from above zero
        to `TOO_WIDE` times the estimate with neither, nor one of width zero: equal values do not tell how far off
        others may be.
        """
        with_margin, each = spec.startswith("±"), spec.removeprefix("±") or ",.2f"
        if np.isnan(self.estimate):
            return "–"
        known = np.isfinite(self.low) and np.isfinite(self.high)
        if not known:
            tail = "[no margin]" if with_margin else "[no interval]"
        elif self.low == self.high:
            tail = "[no spread]"
        elif 0 <= self.low and self.high > TOO_WIDE * self.estimate > 0:
            tail = "[no useful interval]"
        elif with_margin and self.is_symmetric:
            tail = f"± {self.margin:{each}}"
        else:
            tail = f"[{self.low:{each}}, {self.high:{each}}]"
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
