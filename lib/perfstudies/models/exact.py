"""Exact means of single queues, which the simulation has to meet: rates and service times in one unit of time.

Source: L. Kleinrock, *Queueing Systems, Volume 1: Theory*, Wiley 1975, section 5.7 (after Pollaczek and Khinchin).
"""

from __future__ import annotations

from perfstudies.errors import BadParameter
from perfstudies.models.values import positive_number


def mg1_wait(rate: float, service: float, cv2: float) -> float:
    """Return the mean wait of M/G/1, first come first served.

    Parameters
    ----------
    rate : float
        Arrivals a unit of time.
    service : float
        Mean service time.
    cv2 : float
        The squared coefficient of variation of service times: 0 if constant (M/D/1), 1 if exponential (M/M/1).
    """
    load = load_of(rate, service, 1)
    return load * service * (1 + cv2) / (2 * (1 - load))


def load_of(rate: float, service: float, servers: int) -> float:
    positive_number("rate", rate)
    positive_number("service", service)
    load = rate * service / servers
    if load >= 1:
        raise BadParameter(f"utilisation {load:.3g}: the queue has no mean; it has to be below 1")
    return load
