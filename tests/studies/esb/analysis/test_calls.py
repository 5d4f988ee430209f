import pytest

from made.esb_connections import HELD_MS, SERVICE_MS, clients, releases
from perfstudies.studies.esb import connections as declared
from perfstudies.studies.esb.analysis import calls
from perfstudies.studies.esb.published import published_connections

KEYS = ["client", "connections"]


@pytest.fixture(scope="module")
def pooled():
    return clients()


@pytest.fixture(scope="module")
def times(pooled):
    return calls.run_times(pooled, KEYS)


def test_levels_say_what_a_client_does():
    of = {setting["client"]: declared.CLIENT_CONNECTIONS.properties(setting)
          for setting in declared.CLIENT_CONNECTIONS.settings()}  # fmt: skip
    assert (of["axis2"]["client"], of["axis2"]["release"]) == ("axis2", "cleanup")
    assert (of["axis2-auto"]["client"], of["axis2-auto"]["release"]) == ("axis2", "auto")
    assert (of["zeep"]["client"], of["zeep"]["pool.waits"]) == ("zeep", "true")
    assert of["zeep-growing"]["pool.waits"] == "false"
    assert {one["connections"] for one in of.values()} <= {"default", "2", "20"}


@pytest.mark.parametrize("experiment", declared.EXPERIMENTS, ids=lambda one: one.name)
def test_every_setting_says_all_that_a_run_needs(experiment):
    for setting in experiment.settings():
        told = experiment.properties(setting)
        needed = {*declared.STANDARD_SETTINGS, "client"}
        if told["client"] == declared.AXIS2:
            needed -= {"pool.waits"}
        else:
            needed -= {"release", "service.client"}
        assert needed <= {*told}
    assert {"smoke", "standard", "full"} == {*experiment.sizes} - {"quick"}
    assert experiment.size("standard").blocks >= 10


def test_without_clean_up_more_calls_are_made_than_the_default_pool_has_connections():
    assert declared.RELEASES.size("quick").requests > 2
    told = declared.RELEASES.properties(declared.RELEASES.settings()[0])
    assert told["connections"] == "default" and int(told["pool.timeout_ms"]) > 0


def test_each_clock_has_its_own_time(times):
    part = times[(times["client"] == "axis2") & (times["connections"] == "2")]
    assert part["total_ms"].mean() == pytest.approx(10 * HELD_MS, rel=0.05)
    assert part["held_ms"].mean() == pytest.approx(HELD_MS, rel=0.05)
    assert part["service_ms"].mean() == SERVICE_MS
    assert (part["waited_ms"] / part["total_ms"]).mean() == pytest.approx(0.9)
    assert part["overtaken"].tolist() == [0.25] * len(part)


def _served(threads, calls, connections, newest_first):
    """Return the mean time of calls that take one unit each, of threads that call again at once."""
    waiting, ends, now, total, left = [0.0] * min(threads, calls), [], 0.0, 0.0, calls - threads
    while waiting or ends:
        while waiting and len(ends) < connections:
            asked = waiting.pop(-1 if newest_first else 0)
            ends.append((now + 1, asked))
        now = min(ends)[0]
        for one in [end for end in ends if end[0] == now]:
            ends.remove(one)
            total += now - one[1]
            if left > 0:
                waiting.append(now)
                left -= 1
    return total / calls


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(("threads", "count"), [(2, 10), (6, 60), (20, 200), (40, 200), (40, 40)])
def test_the_mean_does_not_depend_on_who_is_served_first(threads, count, newest_first):
    assert calls.queueing(threads, count, 2) == pytest.approx(_served(threads, count, 2, newest_first))


def test_what_gives_connections_back_is_counted():
    found = calls.given_back(releases(blocks=1), ["axis2.version", "release", "service.client"])
    found = found.set_index(["axis2.version", "release", "service.client"])
    assert found.loc[("1.5", "none", "new"), "answered"] == 6
    found = found.loc["1.5.1"]
    assert found.loc[("cleanup", "new"), ["count", "given", "answered", "detail"]].tolist() == [6, 6, 6, ""]
    none = found.loc[("none", "new")]
    assert (none["given"], none["answered"], none["detail"]) == (2, 2, "no connection: timeout")
    assert found.loc[("auto", "kept"), ["given", "answered"]].tolist() == [6, 0]


def test_what_the_post_says_is_read():
    said = published_connections()["Value"]
    assert said.iloc[-1] == "20 connections" and said.iloc[1] == ""
