"""Do events come at the same place of a cycle? Rayleigh's test of events in time against a period named beforehand.

Each event is laid on a circle that the period turns once. Events that come at any time point in all directions, those
that come once a period point in one. It needs no regular sampling, so it suits rare events such as slow requests, and
periods in seconds, such as a server's time-outs.

Sources: Lord Rayleigh, "On the problem of random vibrations", Philosophical Magazine 37, 1919; K. V. Mardia and P. E.
Jupp, *Directional Statistics*, Wiley 2000, section 6.3.1 (the p value's correction for few events).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import finite

LEAST_EVENTS = 5


@dataclass(frozen=True)
class RayleighTest:
    """Whether events keep to a period.

    Attributes
    ----------
    length : float
        Of their mean direction: 1 if all events come at one place of the period, near 0 if they are spread evenly;
        missing without any.
    p : float
        Of Rayleigh's test; missing for fewer than five events.
    """

    length: float
    p: float


def rayleigh_test(times: ArrayLike, period: float) -> RayleighTest:
    """Test whether events come at one place of a period.

    Parameters
    ----------
    times : array_like, shape (events,)
        In any unit, from any origin. Events that hang together (one pause that several requests meet) count once:
        leave the others out.
    period : float
        In the same unit, above 0.

    Raises
    ------
    BadParameter
        If the period is not above 0 or a time is not finite.
    """
    if not period > 0:
        raise BadParameter(f"period = {period!r} must be above 0")
    if np.size(times) == 0:
        return RayleighTest(np.nan, np.nan)
    array = finite(times, "times")
    count, length = array.size, float(abs(np.exp(2j * np.pi * array / period).mean()))
    if count < LEAST_EVENTS:
        return RayleighTest(length, np.nan)
    z = count * length**2
    # Mardia and Jupp's approximation, good from some five events on; exp(-z) is its first term.
    p = np.exp(np.sqrt(1 + 4 * count + 4 * (count**2 - z * count)) - (1 + 2 * count))
    return RayleighTest(length, float(min(p, 1.0)))
