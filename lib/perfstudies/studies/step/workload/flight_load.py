"""User sessions against the Flight Web Service, after the template of the STEP study (section 3.6).

A session searches flights between the two cities of an existing flight, thinks, draws a passenger
group, reserves seats on that flight (not at all for an empty group, one reservation for one person, a
multiple reservation otherwise) and thinks again. With the load's error probability a request carries
a mistake: cities that do not exist (an empty result) or an unknown flight number (an application
exception). Half of the requests being searches, the 25 % of the study's tool chain give the 12.5 %
of failing requests that its report states.

The study drew the seeds below for its 30 (or 160) samples of each load; they are kept with the
published data. Its word lists are not public, so the same seeds give other names here.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from faker.providers.person.en_GB import Provider as names

from perfstudies.errors import require_one_of
from perfstudies.load_file import Request
from perfstudies.paths import PUBLISHED
from perfstudies.studies.step.workload.flight_data import FlightData, generator

MISTAKE = " (sic)"
RUNS = 30
"""Runs that each user has seeds of its own for: as many as the study asked for."""


@dataclass(frozen=True)
class Load:
    """A load's parameters.

    Attributes
    ----------
    name : str
        The study's name for it: SizeSmall .. SizeXXLarge, MaxThink500ms, MaxThink1000ms.
    sessions : int
        Sessions of one user in a run.
    max_group : int
        A group's size is uniform in [0, `max_group`).
    max_think_ms : int
        A think time is uniform in [0, `max_think_ms`]; 0 means none.
    error_probability : float
        Chance of a mistake, for each request.
    seeds : tuple of int
        One for each user of each run.
    """

    name: str
    sessions: int
    max_group: int
    max_think_ms: int
    error_probability: float
    seeds: tuple[int, ...]

    def seed(self, run: int, user: int = 0) -> int:
        """Return the seed of a user in the run-th run (from 0), the same however many users work beside it.

        The study's list serves as far as it reaches; further users get seeds that follow from the load's name.
        """
        index = RUNS * user + run
        if index < len(self.seeds):
            return self.seeds[index]
        return random.Random(f"{self.name}/{index}").getrandbits(31)


@cache
def study_loads() -> dict[str, Load]:
    """Return the study's loads by name."""
    published = json.loads((PUBLISHED / "step" / "loads.json").read_text(encoding="utf-8"))["loads"]
    return {
        name: Load(
            name=name,
            sessions=load["numberSessions"],
            max_group=load["maxGroup"],
            max_think_ms=load["maxThinkTime"],
            error_probability=load["errorProbability"],
            seeds=tuple(load["seeds"]),
        )
        for name, load in published.items()
    }


def study_load(name: str) -> Load:
    """Return one of the study's loads; an unknown name is a `BadParameter` that lists the known ones."""
    loads = study_loads()
    require_one_of("load", name, loads)
    return loads[name]


def sessions(load: Load, data: FlightData, seed: int, count: int | None = None) -> Iterator[Request]:
    """Yield the requests of one user; fewer sessions are a prefix of more.

    Parameters
    ----------
    load : Load
        Group size, think time and error probability.
    data : FlightData
        What is in the database.
    seed : int
        The user's seed; any integer.
    count : int, optional
        Sessions; the load's own number by default.
    """
    rng = generator(seed)
    cities = {airport.code: airport.city for airport in data.airports}
    number = 0
    think_ms = 0
    for session in range(load.sessions if count is None else count):
        flight = rng.choice(data.flights)
        mistake = MISTAKE if rng.random() < load.error_probability else ""
        search = {"depart": cities[flight.origin] + mistake, "arrive": cities[flight.destination] + mistake}
        yield Request(session, number, think_ms, "searchFlights", search)
        number += 1
        think_ms = _think_ms(rng, load)
        group = rng.randrange(load.max_group)
        if group:
            mistake = MISTAKE if rng.random() < load.error_probability else ""
            people = [_passenger(rng) for _ in range(group)]
            single = group == 1
            name = "createSingleReservation" if single else "createMultipleReservations"
            arguments = {"flightNumber": flight.number + mistake, "passenger": people[0] if single else people}
            yield Request(session, number, think_ms, name, arguments)
            number += 1
            think_ms = 0
        think_ms += _think_ms(rng, load)


def reservation(number: int, flight_number: str, group: int, rng: random.Random) -> Request:
    """Return a request that reserves seats for a group of made-up passengers on a flight."""
    people = [_passenger(rng) for _ in range(group)]
    return Request(
        number, number, 0, "createMultipleReservations", {"flightNumber": flight_number, "passenger": people}
    )


def _think_ms(rng: random.Random, load: Load) -> int:
    return rng.randint(0, load.max_think_ms) if load.max_think_ms else 0


def _passenger(rng: random.Random) -> dict[str, str]:
    first, last = rng.choice(_FIRST_NAMES), rng.choice(_LAST_NAMES)
    return {"name": f"{first} {last}", "id": f"{rng.randrange(10**8):08d}"}


_FIRST_NAMES = tuple(sorted({*names.first_names_male, *names.first_names_female}))
_LAST_NAMES = tuple(sorted(names.last_names))
