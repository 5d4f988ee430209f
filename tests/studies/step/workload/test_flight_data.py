import csv
from collections import Counter
from decimal import Decimal

import pytest

from perfstudies.studies.step.workload import flight_data


@pytest.fixture(scope="module")
def data():
    return flight_data.generate()


def test_the_same_seeds_give_the_same_bytes(tmp_path, data):
    flight_data.write(data, tmp_path / "one")
    flight_data.generate.cache_clear()
    flight_data.write(flight_data.generate(), tmp_path / "two")
    for name in ("airports.csv", "airplanes.csv", "flights.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_another_seed_gives_other_flights(data):
    other = flight_data.generator(flight_data.FLIGHTS_SEED + 1)
    assert tuple(flight_data._flights(other, data.airports, data.airplanes)) != data.flights


def test_a_negative_seed_is_not_its_positive_twin():
    assert flight_data.generator(5).random() != flight_data.generator(-5).random()


def test_the_fleet_and_the_flights_are_as_many_as_in_the_study(data):
    assert len(data.flights) == 2820
    assert Counter(plane.model for plane in data.airplanes)["747-400"] == 49
    assert len(data.airplanes) == 228


def test_flights_refer_to_what_exists_and_have_unique_numbers(data):
    codes = {airport.code for airport in data.airports}
    planes = {plane.registration for plane in data.airplanes}
    assert all({flight.origin, flight.destination} <= codes and flight.airplane in planes for flight in data.flights)
    assert all(flight.origin != flight.destination for flight in data.flights)
    assert len({flight.number for flight in data.flights}) == len(data.flights)


def test_a_pair_of_airports_has_up_to_a_hundred_flights(data):
    pairs = Counter((flight.origin, flight.destination) for flight in data.flights)
    assert 20 < len(pairs) < 200
    assert 1 < max(pairs.values()) <= 100


def test_the_price_is_the_cost_and_a_fifth(data):
    for flight in data.flights:
        assert abs(Decimal(flight.price_per_passenger) - Decimal(flight.cost_per_passenger) * Decimal("1.2")) < Decimal(
            "0.01"
        )
        assert 0 < Decimal(flight.cost_per_passenger) < 1500


def test_every_airport_has_a_city_to_search_for(tmp_path, data):
    flight_data.write(data, tmp_path)
    with open(tmp_path / "airports.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(data.airports) > 7000
    assert all(row["city"] for row in rows)
