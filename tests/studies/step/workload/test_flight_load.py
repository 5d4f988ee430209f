from dataclasses import replace

import pytest

from perfstudies import load_file
from perfstudies.errors import BadLog, BadParameter
from perfstudies.studies.step.workload import flight_data
from perfstudies.studies.step.workload.flight_load import MISTAKE, sessions, study_load, study_loads


@pytest.fixture(scope="module")
def data():
    return flight_data.generate()


@pytest.fixture(scope="module")
def requests(data):
    load = study_load("SizeMedium")
    return [request for run in range(30) for request in sessions(load, data, load.seed(run))]


def test_the_study_s_loads_are_all_there():
    groups = {name: load.max_group for name, load in study_loads().items() if name.startswith("Size")}
    assert groups == {"SizeSmall": 10, "SizeMedium": 100, "SizeLarge": 1000, "SizeXLarge": 5000, "SizeXXLarge": 10000}
    assert len(study_load("SizeMedium").seeds) == 160
    assert study_load("MaxThink500ms").max_think_ms == 500


def test_the_same_seed_writes_the_same_bytes(tmp_path, data):
    load = study_load("SizeMedium")
    for name in ("one", "two"):
        load_file.write(sessions(load, data, load.seed(0)), tmp_path / name)
    load_file.write(sessions(load, data, load.seed(1)), tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() != (tmp_path / "other").read_bytes()


def test_fewer_sessions_are_a_prefix(data):
    load = study_load("SizeMedium")
    long, short = list(sessions(load, data, 7)), list(sessions(load, data, 7, count=5))
    assert long[: len(short)] == short
    assert short[-1].session == 4


def test_a_written_load_is_read_back(tmp_path, data):
    load = study_load("SizeMedium")
    written = list(sessions(load, data, -3, count=4))
    load_file.write(iter(written), tmp_path / "load")
    assert list(load_file.read(tmp_path / "load")) == written


def test_a_cut_load_names_file_and_line(tmp_path, data):
    path = tmp_path / "load"
    load_file.write(sessions(study_load("SizeSmall"), data, 1, count=2), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadLog, match=r"load:\d+: not a request"):
        list(load_file.read(path))


def test_a_session_searches_and_then_reserves_on_the_flight_it_found(data, requests):
    for search, reservation in zip(requests, requests[1:], strict=False):
        if reservation.operation != "searchFlights":
            assert search.operation == "searchFlights"
            assert search.session == reservation.session
    numbers = {flight.number for flight in data.flights}
    reserved = [request for request in requests if request.operation != "searchFlights"]
    assert {r.arguments["flightNumber"].removesuffix(MISTAKE) for r in reserved} <= numbers


def test_groups_are_uniform_below_the_largest(requests):
    groups = [len(r.arguments["passenger"]) for r in requests if r.operation == "createMultipleReservations"]
    assert min(groups) == 2 and max(groups) == 99
    assert 46 < sum(groups) / len(groups) < 54


def test_a_quarter_of_the_requests_of_each_kind_carries_a_mistake(requests):
    def share(kind, key):
        of_kind = [r for r in requests if (r.operation == "searchFlights") == (kind == "search")]
        return sum(r.arguments[key].endswith(MISTAKE) for r in of_kind) / len(of_kind)

    assert 0.22 < share("search", "depart") < 0.28
    assert 0.22 < share("reservation", "flightNumber") < 0.28


def test_think_times_stay_below_their_bound(data):
    load = replace(study_load("MaxThink500ms"), max_group=2)
    thinks = [request.think_ms for request in sessions(load, data, 3)]
    assert thinks[0] == 0
    assert max(thinks) <= 2 * 500
    assert len(set(thinks)) > 20
    assert all(request.think_ms == 0 for request in sessions(study_load("SizeMedium"), data, 3))


def test_users_and_runs_get_seeds_of_their_own_the_study_s_as_far_as_they_reach():
    load = study_load("SizeMedium")
    seeds = {load.seed(run, user) for run in range(30) for user in range(64)}
    assert len(seeds) == 30 * 64
    assert [load.seed(run) for run in range(30)] == list(load.seeds[:30])
    assert load.seed(9, 5) == load.seeds[159]
    assert load.seed(10, 5) == load.seed(10, 5) not in load.seeds
    assert load.seed(10, 5) != study_load("MaxThink500ms").seed(10, 5)


def test_an_unknown_load_is_refused_with_the_nearest():
    with pytest.raises(BadParameter, match="Did you mean 'SizeMedium'"):
        study_load("SizeMedum")
