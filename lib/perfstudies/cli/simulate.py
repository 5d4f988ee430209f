"""Simulates the studies' tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from perfstudies.errors import BadParameter
from perfstudies.paths import RAW
from perfstudies.runs import simulated
from perfstudies.studies import simulations


def simulate(tables: Iterable[str] | None, profile: str, seed: int = 1, record: bool = False) -> None:
    """Simulate what is missing of tables, all of them if none is named; or store all anew as the repository's.

    Raises
    ------
    BadParameter
        If there is no such table, or it has no such profile.
    """
    known = simulations()
    for key in tables or known:
        if key not in known:
            raise BadParameter.choice("table", key, known)
        one = known[key]
        print(f"{key}: {one.question}", file=sys.stderr)
        if record:
            # One that rests on another reads the recorded one, which comes before it.
            simulated.simulate(one, "reference", profile, seed, RAW / "reference" / key)
        else:
            simulated.read(one, "live", profile, seed)
