"""Where and when a side is killed: at places and messages that are drawn before a run begins."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from perfstudies.studies.esb.server.reliable import NOWHERE, PLACES


@dataclass(frozen=True)
class Kill:
    """Where a side is to be killed: the place, of `PLACES`, and the message's number."""

    place: str
    number: int

    @property
    def settings(self) -> dict[str, str]:
        """What tells the side."""
        return {"halt.at": self.place, "halt.number": str(self.number)}


NEVER = Kill(NOWHERE, 0)


def kills(side: str, count: int, messages: int, block: int, seed: int, places: Sequence[str] = ()) -> list[Kill]:
    """Return where and when a side is killed in a block's runs, the same for every way of delivery.

    Parameters
    ----------
    side : {"server", "client"}
    count : int
        How often. Messages are cut into so many equal parts, and each part has one of them.
    messages : int
        How many are sent; the first is never hit, so that a sequence is there.
    block, seed : int
        The places begin with another one in each block; the seed draws the numbers.
    places : sequence of str, optional
        Where; all places of that side if none is given.
    """
    rng = random.Random(f"{side}/{seed}/{block}")
    places = places or PLACES[side]
    bounds = [2 + (messages - 1) * part // count for part in range(count + 1)]
    return [
        Kill(places[(block + part) % len(places)], rng.randrange(low, max(low + 1, high)))
        for part, (low, high) in enumerate(zip(bounds, bounds[1:], strict=False))
    ]
