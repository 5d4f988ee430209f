"""Noise that remembers: autoregressions fitted to a series, and surrogate series made from them.

Response times next to each other are alike without being periodic: a slow moment lasts over some requests. The
spectrum of such noise is highest at long periods ("red"), so a test against independent noise finds a period where
there is none. The surrogates have the series' own memory and the spread of what it does not predict, and no period.

All functions take a block of series, one a row, so that hundreds of surrogates are handled at once.

Sources: G. U. Yule, Phil. Trans. Royal Society A 226, 1927; G. Walker, Proc. Royal Society A 131, 1931; J. Durbin,
Revue de l'Institut International de Statistique 28, 1960 (the recursion); H. Akaike, IEEE Trans. Automatic Control 19,
1974 (the order); P. Buehlmann, "Sieve bootstrap for time series", Bernoulli 3, 1997 (surrogates from residuals).
"""

from __future__ import annotations

import numpy as np
from scipy import signal

#: The largest order tried. It is far below the periods of interest, so noise cannot imitate a sharp one.
MOST = 20
#: How many values are thrown away before a surrogate starts, so that it starts anywhere.
BURN_IN = 500


def centred(series: np.ndarray) -> np.ndarray:
    """Return rows less their least-squares line over the position, shape (rows, n)."""
    at = np.arange(series.shape[-1]) - (series.shape[-1] - 1) / 2
    level = series - series.mean(axis=-1, keepdims=True)
    return level - (level @ at / (at @ at))[..., None] * at


def autoregressions(series: np.ndarray, most: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Fit autoregressions of orders 0 to `most` to each row, by Yule and Walker.

    Parameters
    ----------
    series : ndarray, shape (rows, n)
        Centred.
    most : int
        Below n.

    Returns
    -------
    weights : list of ndarray
        For each order, shape (rows, order): what the values 1, 2, ... back are multiplied with.
    variance : ndarray, shape (most + 1, rows)
        Of what is not predicted.
    """
    n = series.shape[1]
    covariance = [np.einsum("ij,ij->i", series[:, lag:], series[:, : n - lag]) / n for lag in range(most + 1)]
    weights, variance = [np.empty((len(series), 0))], [covariance[0]]
    for order in range(1, most + 1):
        last = weights[-1]
        known = sum((last[:, k] * covariance[order - 1 - k] for k in range(order - 1)), np.zeros(len(series)))
        with np.errstate(invalid="ignore", divide="ignore"):
            partial = np.where(variance[-1] > 0, (covariance[order] - known) / variance[-1], 0.0)
        weights.append(np.column_stack([last - partial[:, None] * last[:, ::-1], partial]))
        variance.append(variance[-1] * (1 - partial**2))
    return weights, np.array(variance)


def best_order(series: np.ndarray) -> int:
    """Return the order with the least Akaike criterion, of a single series of shape (n,)."""
    n = series.size
    most = min(MOST, n // 10)
    variance = autoregressions(series[None], most)[1][:, 0]
    with np.errstate(divide="ignore"):
        return int(np.argmin(n * np.log(variance) + 2 * np.arange(most + 1)))


def whiten(series: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what an autoregression of each row does not predict.

    Parameters
    ----------
    series : ndarray, shape (rows, n)
        Centred.
    order : int
        Of the autoregression, which is fitted to each row anew.

    Returns
    -------
    residuals : ndarray, shape (rows, n - order)
    weights : ndarray, shape (rows, order)
    """
    weights = autoregressions(series, order)[0][order]
    return apply(series, weights), weights


def apply(series: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return rows less what the given weights, of shape (rows, order), predict: shape (rows, n - order)."""
    order, n = weights.shape[1], series.shape[1]
    residuals = series[:, order:].copy()
    for back in range(1, order + 1):
        residuals -= weights[:, back - 1, None] * series[:, order - back : n - back]
    return residuals


def surrogates(
    series: np.ndarray, order: int, count: int, rng: np.random.Generator, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return series that remember as the given one does, driven by its own residuals in random order.

    Parameters
    ----------
    series : ndarray, shape (n,)
        Centred.
    order, count : int
        Of the autoregression, and how many series are wanted.
    rng : Generator
    weights : ndarray, shape (1, order), optional
        Of the autoregression, where they are known better than by fitting it.

    Returns
    -------
    ndarray, shape (count, n)
    """
    if weights is None:
        weights = whiten(series[None], order)[1]
    residuals = apply(series[None], weights)
    drive = rng.choice(residuals[0] - residuals[0].mean(), (count, series.size + (BURN_IN if order else 0)))
    return signal.lfilter([1.0], np.concatenate([[1.0], -weights[0]]), drive, axis=1)[:, -series.size :]
