"""How much a comparison may send: little to hosts that are only lent to it, more to this machine."""

from __future__ import annotations

from dataclasses import dataclass

from perfstudies.errors import BadParameter
from perfstudies.own.service.declaration import Comparison


@dataclass(frozen=True)
class Bounds:
    """The most that a whole comparison may send: users, requests a second, requests, and seconds of sending."""

    users: int
    rate_per_s: float
    requests: int
    took_s: float


REMOTE = Bounds(users=16, rate_per_s=50, requests=10_000, took_s=600)
HERE = Bounds(users=256, rate_per_s=10_000, requests=10_000_000, took_s=86_400)


def require(comparison: Comparison, remote: bool) -> None:
    """Raise `BadParameter` if a comparison asks for more than its bounds, and say which and what to change."""
    bounds, load = REMOTE if remote else HERE, comparison.load
    runs = len(comparison.targets) * comparison.runs
    asked = {
        "users": (load.users, bounds.users, "users"),
        "rate": (load.rate_per_s or 0, bounds.rate_per_s, "requests a second"),
        "requests × settings × runs": (load.requests * runs, bounds.requests, "requests"),
        "limit_s × settings × runs": (load.limit_s * runs, bounds.took_s, "s"),
    }
    where = "a host other than this machine" if remote else "this machine"
    for what, (value, most, unit) in asked.items():
        if value > most:
            raise BadParameter(f"{what} = {value:,g}: {where} may get at most {most:,g} {unit} in a whole comparison")


def spacing_s(users: int, remote: bool) -> float:
    """Return the time that a closed user leaves at least between the beginnings of two requests.

    Closed users send as fast as they are answered; this keeps all of them together below the bound of the rate.
    """
    return users / REMOTE.rate_per_s if remote else 0.0
