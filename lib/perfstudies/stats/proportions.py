"""Shares of requests that end one way, where only the share and the number of requests are known.

A binomial interval takes requests as independent. That suits what a load generator drew for each request on its
own; failures that requests cause each other come in clusters, and for them it is the least uncertainty
there is. Where runs are known one by one, `perfstudies.stats.intervals.share_interval` is the one to use.

Sources: E. B. Wilson, J. American Statistical Association 22, 1927; C. J. Clopper and E. S. Pearson, Biometrika 26,
1934; P. Armitage, "Tests for linear trends in proportions and frequencies", Biometrics 11, 1955.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import check_confidence, finite, paired


@dataclass(frozen=True)
class Proportions:
    """Whether shares of several groups are equal: any difference, and a trend; p values, two-sided."""

    chi2: float
    p_equal: float
    z: float
    p_trend: float


def proportion_interval(share: float, requests: float, confidence: float = 0.95) -> Interval:
    """Wilson's interval for a share of independent requests.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    requests : float
        How many; not whole where it is an expectation.
    confidence : float
        Between 0 and 1.

    Raises
    ------
    BadParameter
        If the share or `confidence` is not between 0 and 1, or there is no request.
    """
    check_confidence(confidence)
    if not 0 <= share <= 1 or requests <= 0:
        raise BadParameter(f"share = {share!r} of {requests!r} requests; is it a percentage?")
    low, high = proportion_confint(share * requests, requests, alpha=1 - confidence, method="wilson")
    # Of none and of all the formula gives ends that rounding may put beside the share.
    return Interval(float(share), min(float(low), share), max(float(high), share), confidence, round(requests))


def exact_interval(count: int, runs: int, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's interval for the share of runs in which something happened: exact, at any number of runs.

    Parameters
    ----------
    count : int
        In how many runs it happened.
    runs : int
        Of how many.
    confidence : float
        Between 0 and 1.

    Raises
    ------
    BadParameter
        If there is no run, it happened in fewer than none or more than all, or `confidence` is not between 0 and 1.
    """
    check_confidence(confidence)
    if runs <= 0 or not 0 <= count <= runs:
        raise BadParameter(f"{count} of {runs} runs is no share")
    low, high = proportion_confint(count, runs, alpha=1 - confidence, method="beta")
    return Interval(count / runs, float(low), float(high), confidence, runs)


def compare_proportions(shares: ArrayLike, requests: ArrayLike, scores: ArrayLike) -> Proportions:
    """Test whether groups have one share, against any difference and against a trend over `scores`.

    Parameters
    ----------
    shares : array_like, shape (groups,)
        Between 0 and 1, neither all 0 nor all 1.
    requests : array_like, shape (groups,)
        Requests of each group.
    scores : array_like, shape (groups,)
        Where each group lies on the scale of the trend.

    Returns
    -------
    Proportions
        Pearson's chi-squared on groups - 1 degrees of freedom, and the Cochran-Armitage test.
    """
    share, count = paired(finite(shares, "shares"), finite(requests, "requests"))
    _, score = paired(share, finite(scores, "scores"))
    whole = (share * count).sum() / count.sum()
    if not 0 < whole < 1:
        raise BadParameter("shares that are all 0 or all 1 cannot be compared")
    spread = whole * (1 - whole)
    chi2 = float((count * (share - whole) ** 2).sum() / spread)
    centred = score - (count * score).sum() / count.sum()
    z = float((centred * count * share).sum() / np.sqrt(spread * (count * centred**2).sum()))
    return Proportions(chi2, float(stats.chi2.sf(chi2, share.size - 1)), z, float(2 * stats.norm.sf(abs(z))))
