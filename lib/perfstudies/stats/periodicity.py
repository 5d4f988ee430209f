"""Is there a repeating pattern in a series of response times by request number, and how long is its period?

The null hypothesis matters. Against independent noise stands Fisher's g, whose p is exact. Response times are
autocorrelated, which alone makes g large, so the test to rely on is against noise with the series' own memory: the
series is whitened by an autoregression, the whitened power of a period and of its next harmonics is summed (a pattern
that rises slowly and drops suddenly is spread over several), and the highest sum over all periods is compared with
that of surrogate series that went through every step as well, the fit of the autoregression included.

Sources: R. A. Fisher, "Tests of significance in harmonic analysis", Proc. Royal Society A 125, 1929; M. B. Priestley,
*Spectral Analysis and Time Series*, Academic Press 1981, chapters 6 and 8; R. Buccheri et al., Astronomy and
Astrophysics 128, 1983 (sums over harmonics); M. Allen and L. A. Smith, J. Climate 9, 1996 (surrogates of red noise).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft, signal, special, stats

from perfstudies.errors import BadParameter
from perfstudies.stats.anova import HypothesisTest
from perfstudies.stats.interval import Interval
from perfstudies.stats.intervals import finite
from perfstudies.stats.rednoise import apply, best_order, centred, surrogates, whiten
from perfstudies.stats.spectra import acf_period, prepared

#: A pattern that is seen fewer times than this in a series is no repetition.
LEAST_CYCLES = 4
SHORTEST = 10.0
#: How many harmonics (the period's own frequency is the first) are summed: a sine needs one, a sawtooth several.
HARMONICS = (1, 2, 4)
#: How much finer than the periodogram's own frequencies periods are looked for.
FINER = 4
#: How many times longer than found a period may be in truth (products of these too), and how sure that has to be.
LONGER, LONGER_LEVEL = (2, 3, 5), 1e-4
#: Points over the highest peak, from which the period and its interval are read.
ZOOM = 801
SURROGATES = 199
#: Surrogates made before it is asked whether more are needed.
AT_ONCE = 20


@dataclass(frozen=True)
class Periodicity:
    """Whether one series has a period.

    Attributes
    ----------
    period : Interval
        In requests, by likelihood, within the series; `n` is the number of requests. It means nothing unless `red` is
        significant, and it takes the period as constant: how periods differ over runs is another matter.
    strength : float
        The share of the (transformed) series' variation that repeats with the period and `harmonics` of it, in the
        sample.
    harmonics : int
        How many harmonics made the highest sum.
    white : HypothesisTest
        Fisher's g against independent noise.
    red : HypothesisTest
        The highest sum of whitened power (as minus the logarithm of its tail) against surrogates.
    acf_period : float
        The lag of the autocorrelation's highest peak, or a whole part of it that is nearly as high, in requests;
        missing if there is no peak above 0.
    noise_periods : ndarray, shape (surrogates,)
        The period found in each surrogate: where noise like this shows its highest peak.
    """

    period: Interval
    strength: float
    harmonics: int
    white: HypothesisTest
    red: HypothesisTest
    acf_period: float
    noise_periods: np.ndarray = field(repr=False, compare=False)


def periodicity(
    values: ArrayLike,
    shortest: float = SHORTEST,
    longest: float | None = None,
    scale: str = "ranks",
    confidence: float = 0.95,
    count: int = SURROGATES,
    seed: int = 0,
) -> Periodicity:
    """Test one series for a period and estimate it.

    Parameters
    ----------
    values : array_like, shape (requests,)
        Response times in order of requests, any unit. Never smoothed ones: what a moving average does to the spectrum
        is more than an autoregression can take in, and noise then shows a period in nearly every second series. Up to
        20 % may be missing (a request that failed): they keep their place and count as usual ones.
    shortest, longest : float
        Periods looked for, in requests. By default from 10 to a quarter of the series.
    scale : str
        ``ranks`` (normal scores: heavy tails do no harm), ``log``, or ``values``. A straight trend is taken out of
        each.
    confidence : float
        Of the period's interval.
    count : int
        Surrogates; the least p is 1 / (count + 1).
    seed : int
        The same seed gives the same p.

    Returns
    -------
    Periodicity

    Raises
    ------
    BadParameter
        If there are fewer than 40 requests, too many are missing, nothing varies, or no such period fits in.
    """
    series = prepared(values, scale)
    longest, grid, low, high = _places(series.size, shortest, longest)
    order = best_order(series)
    score, place, harmonics = (part[0] for part in _highest(whiten(series[None], order)[0], grid, low, high))
    made = centred(surrogates(series, order, count, np.random.default_rng(seed)))
    noise_score, noise_place, _ = _highest(whiten(made, order)[0], grid, low, high)
    p_red = (1 + int((noise_score >= score).sum())) / (count + 1)
    period, strength = _period(series, order, place / grid, int(harmonics), longest, confidence)
    return Periodicity(
        period,
        strength,
        int(harmonics),
        fisher_g(series, shortest, longest),
        HypothesisTest("harmonics against red noise", float(score), p_red),
        acf_period(series, shortest, longest),
        grid / noise_place,
    )


def repeats(
    values: ArrayLike, shortest: float = SHORTEST, longest: float | None = None, level: float = 0.05, seed: int = 0
) -> bool:
    """Return whether the p of `periodicity` against red noise is at most the level, of the same surrogates.

    It makes no more surrogates than decide that: of noise some twenty, which takes a tenth of the time (J. Besag and P.
    Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991). Arguments and errors are those of `periodicity`.
    """
    series = prepared(values)
    _, grid, low, high = _places(series.size, shortest, longest)
    order = best_order(series)
    score = _highest(whiten(series[None], order)[0], grid, low, high)[0][0]
    rng = np.random.default_rng(seed)
    higher = 0
    for done in range(0, SURROGATES, AT_ONCE):
        made = centred(surrogates(series, order, min(AT_ONCE, SURROGATES - done), rng))
        higher += int((_highest(whiten(made, order)[0], grid, low, high)[0] >= score).sum())
        if (1 + higher) / (SURROGATES + 1) > level:
            return False
    return True


def _places(n: int, shortest: float, longest: float | None) -> tuple[float, int, int, int]:
    """Return the longest period, how many places the grid of frequencies has, and the first and last of these."""
    longest = n / LEAST_CYCLES if longest is None else longest
    if not 2 < shortest <= longest <= n / 2:
        span = f"periods from {shortest} to {longest}"
        raise BadParameter(f"{span}: those of {n} requests lie above 2 and up to {n / 2:g}")
    grid = fft.next_fast_len(FINER * n, real=True)
    low, high = int(np.ceil(grid / longest)), int(np.floor(grid / shortest))
    low, high = (low, high) if low <= high else (max(1, round(2 * grid / (longest + shortest))),) * 2
    return longest, grid, low, high


def fisher_g(series: ArrayLike, shortest: float = 2.0, longest: float = np.inf) -> HypothesisTest:
    """Fisher's test: is the periodogram's highest ordinate higher than independent normal noise has it?

    Parameters
    ----------
    series : array_like, shape (requests,)
    shortest, longest : float
        Periods whose ordinates enter, in requests; the test is exact for any such choice made beforehand.

    Returns
    -------
    HypothesisTest
        g, the highest ordinate's share of all of them, and its exact p.
    """
    array = finite(series, "series")
    n = array.size
    cycles = np.arange(1, (n - 1) // 2 + 1)
    power = np.abs(fft.rfft(array - array.mean())[1 : cycles.size + 1]) ** 2
    power = power[(cycles * shortest <= n) & (cycles * longest >= n)]
    if power.size == 0:
        return HypothesisTest("Fisher's g", np.nan, np.nan)
    g = float(power.max() / power.sum())
    return HypothesisTest("Fisher's g", g, fisher_p(g, power.size))


def fisher_p(g: float, ordinates: int) -> float:
    """Return the probability that g is exceeded: ``sum (-1)^(j-1) C(m, j) (1 - j g)^(m-1)`` over j up to 1 / g.

    Where more than 12 ordinates are expected above g the sum loses its digits, and p is 1 but for less than 0.00001:
    Poisson's limit is given.
    """
    if ordinates * (1 - g) ** (ordinates - 1) > 12:
        return float(-np.expm1(-ordinates * (1 - g) ** (ordinates - 1)))
    j = np.arange(1, min(ordinates, int(1 / g)) + 1)
    j = j[j * g < 1]
    with np.errstate(divide="ignore"):
        logs = np.cumsum(np.log((ordinates - j + 1) / j)) + (ordinates - 1) * np.log1p(-j * g)
    terms = np.where(j % 2, 1.0, -1.0) * np.exp(logs)
    return float(np.clip(terms.sum(), 0.0, 1.0)) if j.size else float(ordinates == 1)


def _highest(residuals: np.ndarray, grid: int, low: int, high: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each row's highest harmonic sum as minus its log tail, the frequency's place on the grid, and harmonics.

    Sums over different numbers of harmonics become comparable through the tail of the gamma distribution that each
    follows under the null hypothesis.
    """
    power = np.abs(fft.rfft(residuals, grid, axis=1)) ** 2 / (residuals.shape[1] * residuals.var(axis=1)[:, None])
    rows = np.arange(len(power))
    best = np.full(len(power), -np.inf)
    place, number = np.full(len(power), low), np.ones(len(power), dtype=int)
    total, done = np.zeros((len(power), high - low + 1)), 0
    for harmonics in HARMONICS:
        last = min(high, grid // 2 // harmonics)
        if last < low:
            break
        total = total[:, : last - low + 1]
        for h in range(done + 1, harmonics + 1):
            total = total + power[:, low * h : last * h + 1 : h]
        done = harmonics
        at = total.argmax(axis=1)
        score = -np.log(np.maximum(special.gammaincc(harmonics, total[rows, at]), 1e-300))
        better = score > best
        best, place, number = (
            np.where(better, new, old) for new, old in ((score, best), (at + low, place), (harmonics, number))
        )
    return best, place, number


def _period(
    series: np.ndarray, order: int, frequency: float, harmonics: int, longest: float, confidence: float
) -> tuple[Interval, float]:
    """Return the period with its likelihood interval, and the share of variation that it explains.

    The noise is fitted once more without the pattern, since with it the noise would be taken for too strong.
    """
    n = series.size
    weights = whiten(series[None], order)[1]
    at, gain = _likelihood(apply(series[None], weights)[0], frequency, harmonics)
    frequency = _whole(apply(series[None], weights)[0], float(at[gain.argmax()]), harmonics, longest)
    for _ in range(2):
        at, gain = _likelihood(apply(series[None], weights)[0], frequency, harmonics)
        frequency = float(at[gain.argmax()])
        angle = 2 * np.pi * frequency * np.outer(np.arange(n), np.arange(1, harmonics + 1))
        waves = np.column_stack([np.cos(angle), np.sin(angle)])
        rest = series - waves @ np.linalg.lstsq(waves, series, rcond=None)[0]
        weights = whiten(rest[None], order)[1]
    noise = apply(rest[None], weights)[0].var()
    at, gain = _likelihood(apply(series[None], weights)[0], frequency, harmonics, noise)
    peak = int(gain.argmax())
    limit = gain[peak] - stats.chi2.ppf(confidence, 1) / 2
    below = np.flatnonzero(gain < limit)
    first = below[below < peak].max(initial=0)
    last = below[below > peak].min(initial=at.size - 1)
    bounds = 1 / float(at[peak]), 1 / float(at[last]), 1 / float(at[first])
    return Interval(*bounds, confidence, n), float(1 - rest @ rest / (series @ series))


def _whole(whitened: np.ndarray, frequency: float, harmonics: int, longest: float) -> float:
    """Return the frequency of the whole pattern, of which the one found may be a harmonic.

    Of a pattern with sudden jumps every harmonic has the same whitened power, so half the period scores as well as the
    period. The period is longer if the harmonics that only the longer one has hold power too.
    """
    for times in LONGER:
        while times / frequency <= longest:
            between = np.array([j for j in range(1, times * harmonics) if j % times]) * frequency / times
            waves = np.exp(-2j * np.pi * between[:, None] * np.arange(whitened.size)) @ whitened
            power = (np.abs(waves) ** 2).sum() / (whitened.size * whitened.var())
            if special.gammaincc(between.size, power) > LONGER_LEVEL:
                break
            frequency /= times
    return frequency


def _likelihood(
    whitened: np.ndarray, frequency: float, harmonics: int, noise: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies around one, and the log likelihood that a pattern of each gains over none."""
    n = whitened.size
    noise = whitened.var() if noise is None else noise
    low, high = max(frequency - 1 / n, 0.25 / n), min(frequency + 1 / n, 0.5 / harmonics)
    at = np.linspace(low, high, ZOOM)
    gain = np.zeros(ZOOM)
    for h in range(1, harmonics + 1):
        waves = signal.ZoomFFT(n, [low * h, high * h], ZOOM, fs=1.0, endpoint=True)(whitened)
        gain += np.abs(waves) ** 2 / (n * max(noise, 1e-12))
    return at, gain
