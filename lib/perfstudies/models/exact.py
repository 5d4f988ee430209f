"""Exact means of single queues, which the simulation has to meet: rates and service times in one unit of time.

Sources: L. Kleinrock, *Queueing Systems, Volume 1: Theory*, Wiley 1975, sections 3.5 (M/M/m) and 5.7 (M/G/1, after
Pollaczek and Khinchin); *Volume 2: Computer Applications*, Wiley 1976, section 4.4 (processor sharing).
"""

from __future__ import annotations

import math

from perfstudies.errors import BadParameter
from perfstudies.models.values import at_least, positive_number


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
    load = _load(rate, service, 1)
    return load * service * (1 + cv2) / (2 * (1 - load))


def shared_response(rate: float, service: float) -> float:
    """Return the mean response time of M/G/1 with processor sharing, which depends on the mean service time alone."""
    return service / (1 - _load(rate, service, 1))


def mmc_wait(rate: float, service: float, servers: int) -> float:
    """Return the mean wait of M/M/c, first come first served (Erlang's C)."""
    at_least("servers", servers, 1)
    load = _load(rate, service, servers)
    offered = rate * service
    last = offered**servers / math.factorial(servers) / (1 - load)
    waits = last / (sum(offered**k / math.factorial(k) for k in range(servers)) + last)
    return waits * service / (servers * (1 - load))


def _load(rate: float, service: float, servers: int) -> float:
    positive_number("rate", rate)
    positive_number("service", service)
    load = rate * service / servers
    if load >= 1:
        raise BadParameter(f"utilisation {load:.3g}: the queue has no mean; it has to be below 1")
    return load
