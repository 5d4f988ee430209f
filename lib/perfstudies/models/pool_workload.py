"""What a simulated server is asked to do: when requests come, for whom, and what each needs. Drawn beforehand, by seed.

Runs with one seed meet the same arrivals whatever the server is, so that servers are compared on common random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perfstudies.errors import BadParameter
from perfstudies.models.pool_state import (
    ADAPT,
    CLEAN,
    CONTROL,
    DELAY,
    FINISH,
    MARSHAL,
    PIECES,
    RECEIVE,
    RESUME,
    SERVE,
)
from perfstudies.models.thread_pool import ThreadPool
from perfstudies.models.values import at_least, positive_number


@dataclass(frozen=True)
class Workload:
    """Requests in the order of their arrival.

    Attributes
    ----------
    arrival_ms : ndarray, shape (requests,)
        Ascending, from 0.
    connection, servant : ndarray of int, shape (requests,)
        Numbers.
    piece_ms : ndarray, shape (requests, PIECES)
        What each piece of work needs, by the columns of `perfstudies.models.pool_state`: constant as the model says
        when drawn, but any values from 0 up will do.
    """

    arrival_ms: np.ndarray
    connection: np.ndarray
    servant: np.ndarray
    piece_ms: np.ndarray


def draw(pool: ThreadPool, seed: int, requests: int | None = None, horizon_ms: float | None = None) -> Workload:
    """Draw a workload.

    The flows' Poisson processes are drawn as one of their total rate, of which each request belongs to a flow with the
    probability of its share; that is the same process.

    Parameters
    ----------
    pool : ThreadPool
        The model whose flows and demands these are.
    seed : int
        From 0 up.
    requests : int, optional
        How many.
    horizon_ms : float, optional
        All that come before. With both, whichever ends first.

    Raises
    ------
    BadParameter
        If neither is given, or a value is not allowed.
    """
    at_least("seed", seed, 0)
    if requests is None and horizon_ms is None:
        raise BadParameter("how long to simulate is not said: give requests, horizon_ms or both")
    if requests is not None:
        at_least("requests", requests, 1)
    if horizon_ms is not None:
        positive_number("horizon_ms", horizon_ms)
    for_gaps, for_flows = (np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(2))
    rates = np.array([flow.rate_per_s / 1000 for flow in pool.flows])
    gap_ms = 1 / rates.sum()
    if requests is not None:
        arrival_ms = np.cumsum(for_gaps.exponential(gap_ms, requests))
    else:
        expected = horizon_ms / gap_ms
        arrival_ms = np.cumsum(for_gaps.exponential(gap_ms, int(expected + 6 * np.sqrt(expected)) + 10))
        while arrival_ms[-1] < horizon_ms:
            more = arrival_ms[-1] + np.cumsum(for_gaps.exponential(gap_ms, 1000))
            arrival_ms = np.concatenate([arrival_ms, more])
    if horizon_ms is not None:
        arrival_ms = arrival_ms[arrival_ms < horizon_ms]
    flows = for_flows.choice(rates.size, size=arrival_ms.size, p=rates / rates.sum())
    connection = np.array([flow.connection for flow in pool.flows], dtype=np.int64)[flows]
    servant = np.array([flow.servant for flow in pool.flows], dtype=np.int64)[flows]
    return Workload(arrival_ms, connection, servant, servant_pieces(pool)[servant])


def at_times(pool: ThreadPool, arrival_ms: np.ndarray, servant: np.ndarray | None = None) -> Workload:
    """Return requests at given times over the first connection, with the model's demands.

    Parameters
    ----------
    pool : ThreadPool
        Whose demands these are.
    arrival_ms : ndarray, shape (requests,)
        Ascending, from 0.
    servant : ndarray of int, shape (requests,), optional
        For which servant each is; for the first one if not given.
    """
    arrival_ms = np.asarray(arrival_ms, dtype=float)
    connection = np.zeros(arrival_ms.size, dtype=np.int64)
    which = connection if servant is None else np.asarray(servant, dtype=np.int64)
    return Workload(arrival_ms, connection, which, servant_pieces(pool)[which])


def servant_pieces(pool: ThreadPool) -> np.ndarray:
    """Return what a request for each servant needs, shape (servants, PIECES)."""
    made = np.zeros((len(pool.servants), PIECES))
    for row, servant in zip(made, pool.servants, strict=True):
        poa = pool.poas[servant.poa]
        row[RECEIVE], row[CLEAN] = _parts(pool.receiver_ms, pool.receiver_first_share)
        row[CONTROL] = 0.0 if pool.controller is None else pool.controller.cpu_ms
        row[ADAPT], row[FINISH] = _parts(poa.cpu_ms, poa.first_share)
        row[SERVE], row[RESUME] = _parts(servant.cpu_ms, servant.before_delay_share if servant.delay_ms else 1.0)
        row[DELAY], row[MARSHAL] = servant.delay_ms, servant.marshal_ms
    return made


def require_allowed(pool: ThreadPool, workload: Workload) -> None:
    """Refuse arrays that are no workload of this model.

    Raises
    ------
    BadParameter
        If shapes do not fit, times do not ascend, a value is missing, infinite or negative, or a number is unknown.
    """
    count = np.shape(workload.arrival_ms)
    shapes = {"connection": count, "servant": count, "piece_ms": (*count, PIECES)}
    for name, shape in shapes.items():
        if len(count) != 1 or np.shape(getattr(workload, name)) != shape:
            its = np.shape(getattr(workload, name))
            raise BadParameter(f"{name} has shape {its} and arrival_ms {count}; it needs {shape}")
    for name in ("arrival_ms", "piece_ms"):
        values = getattr(workload, name)
        if not (np.isfinite(values) & (values >= 0)).all():
            raise BadParameter(f"{name} holds a value that is missing, infinite or negative; times are from 0 up")
    if (np.diff(workload.arrival_ms) < 0).any():
        raise BadParameter("arrival_ms does not ascend; sort the requests by it")
    for name, limit in (("connection", pool.connections), ("servant", len(pool.servants))):
        values = getattr(workload, name)
        if values.size and not (0 <= values.min() and values.max() < limit):
            raise BadParameter(f"{name} holds a number that the model lacks; it has {limit}, from 0")


def _parts(whole_ms: float, first_share: float) -> tuple[float, float]:
    first_ms = whole_ms * first_share
    return first_ms, whole_ms - first_ms
