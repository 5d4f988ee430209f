"""Regions half or twice as wide: how much a verdict owes to where a region's borders were drawn.

A region between two borders keeps its middle on the scale of the test (the geometric one on the log scale) and becomes
as much wider. One with a single border has no width; there the border's distance from what would be no effect counts, a
ratio of 1 or a difference of 0: *wider* lets the border come closer to it if the claim is of an effect, and go further
if the claim is that there is none. The border of a share has its odds divided or multiplied, so that it stays a share.
A border at no effect itself, as of a claim of direction, and a region of one point stay where they are.
"""

from __future__ import annotations

import math

from perfstudies.errors import BadParameter


def widened(low: float, high: float, factor: float, scale: str, unit: str = "") -> tuple[float, float]:
    """Return a region that is `factor` times as wide.

    Parameters
    ----------
    low, high : float
        The region, in the finding's unit; one end may be infinite.
    factor : float
        Above 0.
    scale : str
        Of the test, as of `perfstudies.stats.regions.region_test`.
    unit : str
        Of the finding: of a "ratio" 1 is no effect.

    Returns
    -------
    (float, float)
        In the finding's unit. Of shares it may reach beyond 0 and 100, where a border is none.

    Raises
    ------
    BadParameter
        If the factor is not above 0.
    """
    if not factor > 0:
        raise BadParameter(f"factor = {factor!r}: a region is some times as wide, above 0")
    if scale == "log":
        logs = widened(math.log(low) if low > 0 else -math.inf, math.log(high), factor, "identity")
        return math.exp(logs[0]), math.exp(logs[1])
    of_shares = scale in ("percent", "runs")
    bounded_below, bounded_above = low > (0 if of_shares else -math.inf), high < (100 if of_shares else math.inf)
    if bounded_below and bounded_above:
        middle, half = (low + high) / 2, factor * (high - low) / 2
        return middle - half, middle + half
    if of_shares:
        return (_odds(low, 1 / factor) if bounded_below else low), (_odds(high, factor) if bounded_above else high)
    none = 1.0 if unit == "ratio" else 0.0
    times = factor if low <= none <= high else 1 / factor
    return none + (low - none) * times, none + (high - none) * times


def _odds(share: float, factor: float) -> float:
    """Multiply a share's odds; in percent."""
    return 100 * factor * share / (factor * share + 100 - share)
