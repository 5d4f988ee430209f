"""Exact means of further single queues, which the simulation has to meet.

Sources: L. Kleinrock, *Queueing Systems, Volume 1: Theory*, Wiley 1975, section 3.5 (M/M/m); *Volume 2: Computer
Applications*, Wiley 1976, section 4.4 (processor sharing).
"""

import math

from perfstudies.models.exact import load_of


def shared_response(rate: float, service: float) -> float:
    """Return the mean response time of M/G/1 with processor sharing, which depends on the mean service time alone."""
    return service / (1 - load_of(rate, service, 1))


def mmc_wait(rate: float, service: float, servers: int) -> float:
    """Return the mean wait of M/M/c, first come first served (Erlang's C)."""
    load = load_of(rate, service, servers)
    offered = rate * service
    last = offered**servers / math.factorial(servers) / (1 - load)
    waits = last / (sum(offered**k / math.factorial(k) for k in range(servers)) + last)
    return waits * service / (servers * (1 - load))
