"""The Flight Web Service's domain data: airports, a fleet and flights, the same bytes for the same seeds.

After section 3.5 of the STEP study: all the world's airports, the fleet of British Airways in April
2010, and flights between randomly picked pairs of airports, several a pair, until there are 2,820.
The study's airport list is not redistributable, so the airports come from the ``airportsdata`` package
(MIT licence); those without a city are left out, because searches name cities.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import airportsdata

# Model, number of airplanes, seats: the fleet that the study took.
FLEET = (
    ("A318-100", 2, 32), ("A319-100", 33, 117), ("A320-200", 38, 134), ("A321-200", 11, 165), ("737-400", 19, 117),
    ("747-400", 49, 291), ("757-200", 5, 163), ("767-300ER", 21, 189), ("777-200", 3, 220), ("777-200ER", 47, 220),
)  # fmt: skip
FLIGHTS = 2820
MAX_FLIGHTS_PER_PAIR = 100
MAX_COST = 1500
PROFIT = 0.20
DAYS = 15
FIRST_DAY = datetime(2010, 4, 15)

# The seeds of the study's own tool chain.
AIRPLANES_SEED = 7326483268
FLIGHTS_SEED = 841222


@dataclass(frozen=True)
class Airport:
    """An airport: its IATA code, name, city and country."""

    code: str
    name: str
    city: str
    country: str


@dataclass(frozen=True)
class Airplane:
    """An airplane; `cost_per_use` in pounds."""

    registration: str
    model: str
    capacity: int
    cost_per_use: str


@dataclass(frozen=True)
class Flight:
    """A flight between two airports (codes) on an airplane (registration); money in pounds."""

    number: str
    date_time: str
    cost_per_passenger: str
    price_per_passenger: str
    origin: str
    destination: str
    airplane: str


@dataclass(frozen=True)
class FlightData:
    """All rows that a fresh database is populated with."""

    airports: tuple[Airport, ...]
    airplanes: tuple[Airplane, ...]
    flights: tuple[Flight, ...]


def generator(seed: int) -> random.Random:
    """Return a generator for a seed of the study.

    Half of the study's seeds are negative, and `random.Random` takes the absolute value of an
    integer: the two's complement keeps a seed and its negative apart.
    """
    return random.Random(seed % 2**64)


@cache
def generate() -> FlightData:
    """Make the domain data from the study's seeds, always the same."""
    airports = tuple(
        Airport(code, row["name"], row["city"], row["country"])
        for code, row in sorted(airportsdata.load("IATA").items())
        if row["city"]
    )
    airplanes = tuple(_airplanes(generator(AIRPLANES_SEED)))
    return FlightData(airports, airplanes, tuple(_flights(generator(FLIGHTS_SEED), airports, airplanes)))


def _airplanes(rng: random.Random) -> Iterable[Airplane]:
    number = 0
    for model, count, capacity in FLEET:
        for _ in range(count):
            number += 1
            yield Airplane(f"G-BA{number:03d}", model, capacity, f"{rng.randrange(500_000, 5_000_000) / 100:.2f}")


def _flights(rng: random.Random, airports: tuple[Airport, ...], airplanes: tuple[Airplane, ...]) -> Iterable[Flight]:
    made = 0
    while made < FLIGHTS:
        origin, destination = rng.sample(airports, 2)
        for _ in range(min(rng.randint(1, MAX_FLIGHTS_PER_PAIR), FLIGHTS - made)):
            made += 1
            cost = rng.randrange(1, MAX_COST * 100) / 100
            departs = FIRST_DAY + timedelta(minutes=rng.randrange(DAYS * 24 * 60))
            yield Flight(
                number=f"BA{made:04d}",
                date_time=departs.isoformat(),
                cost_per_passenger=f"{cost:.2f}",
                price_per_passenger=f"{cost * (1 + PROFIT):.2f}",
                origin=origin.code,
                destination=destination.code,
                airplane=rng.choice(airplanes).registration,
            )


def write(data: FlightData, folder: Path) -> None:
    """Write ``airports.csv``, ``airplanes.csv`` and ``flights.csv`` into a folder, which is made if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, kind, rows in (
        ("airports", Airport, data.airports),
        ("airplanes", Airplane, data.airplanes),
        ("flights", Flight, data.flights),
    ):
        columns = [field.name for field in fields(kind)]
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(columns)
            table.writerows([getattr(row, column) for column in columns] for row in rows)
