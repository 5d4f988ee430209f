"""Shares and their trend where requests come in clusters: those of a run fail together or not at all.

A binomial interval takes requests as independent. Concurrent requests are not: the one that wins makes the others
fail. The share's variance is therefore taken from how runs differ, and the design effect says by what factor it
exceeds the binomial one; below 1, requests of a run are more regular than independent ones.

Sources: W. G. Cochran, *Sampling Techniques*, 3rd ed. 1977, chapter 3 (a proportion from clusters, as a ratio); L.
Kish, *Survey Sampling*, 1965 (design effect); K.-Y. Liang and S. L. Zeger, Biometrika 73, 1986 (regression with
errors by cluster); A. C. Cameron and D. L. Miller, J. Human Resources 50, 2015 (too small with few clusters).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import statsmodels.api as sm
from numpy.typing import ArrayLike
from scipy import special

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import finite, paired
from perfstudies.stats.proportions import proportion_interval

CONFIDENCE = 0.95
FEWEST_CLUSTERS = 5
"""With fewer, standard errors by cluster are far too small to be told."""


@dataclass(frozen=True)
class ClusteredShare:
    """A share of all requests with two intervals.

    Attributes
    ----------
    binomial : Interval
        Wilson's, as if requests were independent.
    clustered : Interval
        Student's t over runs, cut at 0 and 1; missing for a single run, a point if runs never differ.
    design_effect : float
        The variance over runs as a ratio to the binomial one; missing where either is unknown or nothing varies.
    """

    binomial: Interval
    clustered: Interval
    design_effect: float

    @property
    def percent(self) -> Interval:
        """The share in percent with its interval over runs, or Wilson's where none or all failed and no run differs."""
        return 100 * (self.clustered if 0 < self.clustered.estimate < 1 else self.binomial)


@dataclass(frozen=True)
class OddsTrend:
    """The factor of the odds for each unit of the score, with its interval, and p, two-sided; missing if untold."""

    odds: Interval
    p: float


def clustered_share(failed: ArrayLike, sent: ArrayLike) -> ClusteredShare:
    """Return the share of requests that failed in all runs together.

    Parameters
    ----------
    failed, sent : array_like, shape (runs,)
        Requests of each run.

    Raises
    ------
    BadParameter
        If lengths differ, a run sent nothing, or more failed than were sent.
    """
    bad, all_sent = _counts(failed, sent)
    runs, total = all_sent.size, all_sent.sum()
    share = float(bad.sum() / total)
    binomial = proportion_interval(share, total, CONFIDENCE)
    if runs == 1:
        return ClusteredShare(binomial, Interval(share, np.nan, np.nan, CONFIDENCE, 1), np.nan)
    variance = runs / (runs - 1) * ((bad - share * all_sent) ** 2).sum() / total**2
    margin = special.stdtrit(runs - 1, (1 + CONFIDENCE) / 2) * np.sqrt(variance)
    low, high = np.clip([share - margin, share + margin], 0.0, 1.0)
    independent = share * (1 - share) / total
    effect = float(variance / independent) if independent > 0 else np.nan
    return ClusteredShare(binomial, Interval(share, float(low), float(high), CONFIDENCE, runs), effect)


def odds_trend(failed: ArrayLike, sent: ArrayLike, score: ArrayLike, cluster: ArrayLike) -> OddsTrend:
    """Fit a logistic regression of failing on a score, with standard errors by cluster.

    Parameters
    ----------
    failed, sent, score : array_like, shape (runs,)
        Requests of each run, and where its setting lies on the scale of the trend.
    cluster : array_like, shape (runs,)
        The run's cluster, for example its block.

    Returns
    -------
    OddsTrend
        With Student's interval of clusters - 1 degrees of freedom. Missing if there are fewer than two clusters, or if
        some score parts all failed from all other requests, so that no finite factor fits best; without interval and p
        if there are fewer than `FEWEST_CLUSTERS`.

    Raises
    ------
    BadParameter
        As `clustered_share`.
    """
    bad, all_sent = _counts(failed, sent)
    _, scores = paired(bad, finite(score, "score"))
    names, codes = np.unique(np.asarray(cluster), return_inverse=True)
    good = all_sent - bad
    unknown = OddsTrend(Interval(np.nan, np.nan, np.nan, CONFIDENCE, names.size), np.nan)
    if names.size < 2 or _parted(scores[bad > 0], scores[good > 0]):
        return unknown
    centred = scores - np.average(scores, weights=all_sent)
    model = sm.GLM(np.column_stack([bad, good]), sm.add_constant(centred), family=sm.families.Binomial())
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=False)
    slope, error = float(fit.params[1]), float(fit.bse[1])
    if names.size < FEWEST_CLUSTERS:
        return OddsTrend(Interval(slope, np.nan, np.nan, CONFIDENCE, names.size).exp(), np.nan)
    freedom = names.size - 1
    margin = float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    p = float(2 * special.stdtr(freedom, -abs(slope) / error)) if error > 0 else np.nan
    return OddsTrend(Interval(slope, slope - margin, slope + margin, CONFIDENCE, names.size).exp(), p)


def _parted(failing: np.ndarray, other: np.ndarray) -> bool:
    """Say whether scores of failed and other requests overlap in no more than one value."""
    if failing.size == 0 or other.size == 0:
        return True
    return failing.min() >= other.max() or failing.max() <= other.min()


def _counts(failed: ArrayLike, sent: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    bad, all_sent = paired(finite(failed, "failed"), finite(sent, "sent"))
    if all_sent.min() <= 0 or bad.min() < 0 or (bad > all_sent).any():
        raise BadParameter("each run must have sent requests, and no more can have failed")
    return bad, all_sent
