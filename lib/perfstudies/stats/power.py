"""What a number of runs can tell apart: break-even variation, detectable ratios, and normal margins for few runs.

Used where a study printed means without margins. Nobody knows how much its runs varied, but how much
they may have varied at most for a difference to stand follows from the means and the number of runs.

Sources: Student, Biometrika 6, 1908; B. L. Welch, Biometrika 34, 1947, with F. E. Satterthwaite, Biometrics
Bulletin 2, 1946; J. Cohen, *Statistical Power Analysis for the Behavioral Sciences*, 2nd ed. 1988, chapter 2.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from scipy import special, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from perfstudies.errors import BadParameter, require_one_of
from perfstudies.stats.intervals import check_confidence
from perfstudies.stats.regions import on_scale

DISTRIBUTIONS = ("t", "normal")
SMALLEST_EFFECT = 1e-3
"""Standard deviations between a mean and a border below which no number of runs is told."""
LARGE_EFFECT = 10.0
"""The same, above which the mean is as good as known, and the runs' own standard deviation alone may be misjudged."""
FEW = 30
"""Numbers of runs that are tried one by one; the equation for larger ones is solved."""


def break_even_cv(
    first: float, second: float, runs: tuple[int, int], confidence: float = 0.95, distribution: str = "t"
) -> float:
    """Return the largest coefficient of variation between runs at which two means still differ significantly.

    Both settings are taken to vary by the same fraction of their means. Welch's test then separates the
    means exactly if the runs' standard deviation is below this fraction.

    Parameters
    ----------
    first, second : float
        The means, in one unit, not negative.
    runs : tuple of int
        How many runs each rests on, two or more.
    confidence : float
        Between 0 and 1.
    distribution : {"t", "normal"}
        ``normal`` takes the quantile of the normal distribution, as if runs were many.

    Returns
    -------
    float
        A fraction; 0 for equal means.

    Raises
    ------
    BadParameter
        If a mean is negative or both are 0, or there are fewer than two runs.
    """
    means = np.array([first, second], dtype=float)
    if not np.isfinite(means).all() or means.min() < 0 or means.max() == 0:
        raise BadParameter(f"means {first} and {second}: a coefficient of variation needs means above 0")
    freedom = np.array([_freedom(count) for count in runs])
    parts = means**2 / np.array(runs)
    together = parts.sum() ** 2 / (parts**2 / freedom).sum()
    return float(abs(first - second) / (_quantile(distribution, together, confidence) * np.sqrt(parts.sum())))


def break_even_cv_of_margin(first: float, second: float, runs: tuple[int, int], quantile: float) -> float:
    """Return the same for the rule that a change counts if it exceeds the margin of each of the two means.

    That rule forgets that both means are uncertain, so it is content with more variation. `quantile` is the margin in
    standard errors, for example 1.96.
    """
    return float(abs(first - second) / (quantile * max(first / np.sqrt(runs[0]), second / np.sqrt(runs[1]))))


def detectable_ratio(
    log_sd: float, runs: int, paired: bool = False, power: float = 0.8, confidence: float = 0.95
) -> float:
    """Return the smallest ratio of two settings that so many runs of each will find, with a given probability.

    Parameters
    ----------
    log_sd : float
        Standard deviation of the logarithm of a run's value, or, if `paired`, of a pair's ratio.
    runs : int
        Of each setting, two or more.
    paired : bool
        Whether runs are compared in pairs, as those of a block are.
    power : float
        Probability of finding it, between 0 and 1.
    confidence : float
        Of the two-sided t test.

    Returns
    -------
    float
        Above 1; the inverse is found as often.

    Raises
    ------
    BadParameter
        If there are fewer than two runs, or `power` is not between 1 - `confidence` and 1.
    """
    _freedom(runs)
    if not 1 - confidence < power < 1:
        raise BadParameter(f"power = {power!r} is not between {1 - confidence:g} and 1")
    test = TTestPower() if paired else TTestIndPower()
    counts = {"nobs": runs} if paired else {"nobs1": runs}
    effect = test.solve_power(alpha=1 - confidence, power=power, alternative="two-sided", **counts)
    return float(np.exp(np.squeeze(effect) * log_sd))


def runs_to_decide(
    mean: float,
    error: float,
    runs: int,
    low: float,
    high: float,
    scale: str = "identity",
    level: float = 0.05,
    power: float = 0.9,
) -> float:
    """Return how many runs would show on which side of a region's border a mean lies, were it where it was measured.

    It is the nearest border that decides; to be shown within two takes both.

    Parameters
    ----------
    mean, error : float
        On the scale of the test, as in `perfstudies.stats.verdicts.Verdict`.
    runs : int
        How many values they rest on.
    low, high : float
        The region, in the finding's unit.
    scale : str
        As of `perfstudies.stats.regions.region_test`.
    level : float
        Of the one-sided t test; of several tests together each one's share.
    power : float
        Probability that it decides.

    Returns
    -------
    float
        A whole number, two at least. Infinite if the mean lies on the border to within a thousandth of the runs'
        standard deviation; missing where the values have no spread, or are tested by counting runs.
    """
    if scale == "runs" or runs < 2 or not error > 0:
        return np.nan
    borders = np.array(on_scale(low, high, scale))
    effects = np.sort(np.abs(borders[np.isfinite(borders)] - mean)) / (error * np.sqrt(runs))
    effects = effects if borders[0] <= mean <= borders[1] else effects[:1]
    if effects[0] < SMALLEST_EFFECT:
        return np.inf

    def decided(count: int) -> float:
        """Return the least probability that all of these borders are passed."""
        return 1 - sum(1 - _decides(effect, count, level) for effect in effects)

    for count in range(2, FEW + 1):
        if decided(count) >= power:
            return count
    ends = [
        int(np.ceil(np.squeeze(TTestPower().solve_power(effects[0], None, level, one, alternative="larger"))))
        for one in (power, (1 + power) / 2)
    ]
    return float(ends[0] + bisect_left(range(*ends), power, key=decided) if len(effects) > 1 else ends[0])


def _decides(effect: float, runs: int, level: float) -> float:
    """Return the power of a one-sided t test of so many runs."""
    if effect < LARGE_EFFECT:
        return float(TTestPower().power(effect, runs, level, alternative="larger"))
    # The noncentral t distribution cannot be computed so far out; there it is that of the standard deviation alone.
    freedom = runs - 1
    passed = effect * np.sqrt(runs) / special.stdtrit(freedom, 1 - level)
    return float(special.chdtr(freedom, freedom * passed**2))


def _quantile(distribution: str, freedom: float, confidence: float) -> float:
    require_one_of("distribution", distribution, DISTRIBUTIONS)
    check_confidence(confidence)
    upper = (1 + confidence) / 2
    return float(special.stdtrit(freedom, upper) if distribution == "t" else stats.norm.ppf(upper))


def _freedom(runs: int) -> int:
    if runs < 2:
        raise BadParameter(f"runs = {runs!r}: one run says nothing about the spread between runs")
    return runs - 1
