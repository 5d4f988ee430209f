import csv
from dataclasses import replace

import pytest

from made import echo_service as made_echo_service
from perfstudies.errors import BadParameter, SystemFailed
from perfstudies.load.pooled_calls import COLUMNS, PooledCalls, PooledPlan
from perfstudies.studies.esb.logs import pooled
from perfstudies.studies.esb.server import callers

PLAN = {"calls": "12", "threads": "6", "connections": "2", "pool.waits": "true", "orders": "2", "padding": "10"}


def _plan(service, folder, **changed) -> PooledPlan:
    plan = PooledPlan(f"{service.address}?wsdl", 12, 6, 2, True, 2, 10, folder / "calls.csv")
    return replace(plan, **changed)


def _rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_a_pool_that_waits_lets_as_many_calls_run_as_it_has_connections(tmp_path):
    # The service answers only when two are there at once: fewer would never end.
    with made_echo_service.running(together=2) as service:
        calls = PooledCalls(_plan(service, tmp_path))
        calls.make()
    assert service.most == 2 and calls.opened == 2
    rows = _rows(tmp_path / "calls.csv")
    assert sorted(int(row["number"]) for row in rows) == list(range(12))
    assert {row["outcome"] for row in rows} == {"ok"} and len({row["thread"] for row in rows}) > 1


@pytest.mark.parametrize(("connections", "waits"), [(2, False), (0, False), (0, True), (6, True)])
def test_a_pool_that_grows_or_is_large_enough_lets_all_threads_call(tmp_path, connections, waits):
    with made_echo_service.running(together=6) as service:
        calls = PooledCalls(_plan(service, tmp_path, connections=connections, waits=waits))
        calls.make()
    assert service.most == 6
    assert calls.opened >= 6
    # One more read the description.
    assert service.accepted == calls.opened + 1


def test_the_wait_for_a_connection_is_told_apart(tmp_path):
    with made_echo_service.running() as service:
        PooledCalls(_plan(service, tmp_path, connections=1)).make()
    rows = [{name: int(row[name]) for name in COLUMNS[:5]} for row in _rows(tmp_path / "calls.csv")]
    assert all(row["asked_ns"] <= row["connected_ns"] <= row["ended_ns"] for row in rows)
    assert len({row["connected_ns"] for row in rows}) == 12
    assert pooled.read_client(tmp_path / "calls.csv")["connected_ns"].min() > 0


def test_what_goes_wrong_is_an_outcome_of_its_call(tmp_path):
    with made_echo_service.running() as service:
        for say, outcome, detail in (
            (made_echo_service.FAULT, "soap fault", "not now"),
            (b'<m:echoResponse xmlns:m="http://perfstudies/esb"><m:order><m:symbol>a</m:symbol><m:buyer>b</m:buyer>'
             b"<m:price>1</m:price><m:volume>77</m:volume></m:order></m:echoResponse>", "no answer", "to call 77"),
        ):  # fmt: skip
            service.say = say
            PooledCalls(_plan(service, tmp_path, calls=2, threads=1)).make()
            rows = _rows(tmp_path / "calls.csv")
            assert {row["outcome"] for row in rows} == {outcome}
            assert all(detail in row["detail"] for row in rows)
        gone = PooledCalls(_plan(service, tmp_path, calls=2, threads=1))
    gone.make()
    assert {row["outcome"] for row in _rows(tmp_path / "calls.csv")} == {"lost"}


def test_a_plan_that_lacks_something_is_refused(tmp_path):
    path = tmp_path / "plan.properties"
    path.write_text("address=http://127.0.0.1:1/a\ncalls=3\n")
    with pytest.raises(BadParameter, match="connections"):
        PooledPlan.read(path)


def test_the_client_waits_for_plans_as_a_process_and_ends_with_who_started_it(tmp_path):
    with made_echo_service.running() as service, callers.start("zeep", tmp_path) as process:
        plan = PLAN | {"address": service.address, "record": str(tmp_path / "calls.csv"), "release": "cleanup"}
        assert 1 <= callers.call(process, "zeep", plan, tmp_path, 60).pooled <= 2
        assert callers.call(process, "zeep", plan | {"connections": "default"}, tmp_path, 60).pooled <= 10
        assert len(_rows(tmp_path / "calls.csv")) == 12
        assert not (tmp_path / "plan.properties").exists()
        with pytest.raises(SystemFailed, match="loopback"):
            callers.call(process, "zeep", plan | {"address": "http://192.0.2.1/a"}, tmp_path, 60)
    assert not process.alive()


def test_an_unknown_client_is_refused(tmp_path):
    with pytest.raises(BadParameter, match="zeep"), callers.start("zep", tmp_path):
        pass
