"""Thread-pool models and workloads made by hand, whose every time a test can say beforehand."""

from dataclasses import replace

import numpy as np

from perfstudies.models import pool_state as at
from perfstudies.models.pool_workload import Workload, draw, servant_pieces
from perfstudies.models.thread_pool import Flow, Servant, ThreadPool


def pool(dispatchers=1, servant=None, rate_per_s=100.0, **rest) -> ThreadPool:
    """Return a server with one flow for one servant."""
    return ThreadPool((Flow(rate_per_s),), (servant or Servant(5.0),), dispatchers, **rest)


def arriving(server: ThreadPool, *arrival_ms, servant=None, connection=None) -> Workload:
    """Return requests at these times, with the model's demands."""
    none = [0] * len(arrival_ms)
    which = np.array(servant or none)
    return Workload(np.array(arrival_ms, float), np.array(connection or none), which, servant_pieces(server)[which])


def with_services(server: ThreadPool, seed: int, requests: int, draw_ms) -> Workload:
    """Return drawn arrivals whose servant's demands are drawn too, by a function of generator and count."""
    workload = draw(server, seed, requests)
    piece_ms = np.zeros_like(workload.piece_ms)
    piece_ms[:, at.SERVE] = draw_ms(np.random.default_rng([seed, 1]), requests)
    return replace(workload, piece_ms=piece_ms)
