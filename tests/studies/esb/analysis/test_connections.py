import re
from dataclasses import replace

import pytest

from made.esb_connections import HELD_MS, SERVICE_MS, clients, cost, releases, waiting
from perfstudies.report import figures, points, tables
from perfstudies.stats import verdicts
from perfstudies.studies.esb import connections as declared
from perfstudies.studies.esb.analysis import connections as report
from perfstudies.studies.esb.analysis import connections_cases
from perfstudies.studies.esb.analysis import releases as esb_releases

KEYS = ["client", "connections"]


@pytest.fixture(scope="module")
def pooled():
    return clients()


@pytest.fixture(scope="module")
def times(pooled):
    return report.run_times(pooled, KEYS)


def _numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def _judged(pooled, released, costs):
    cases = connections_cases.cases(
        pooled, report.run_times(pooled, KEYS), released, report.run_times(costs, [declared.RELEASE.name])
    )
    return {verdict.finding.id: verdict for verdict in verdicts.judge(cases)}


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
    assert {"smoke", "quick", "standard", "full"} == {*experiment.sizes}
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
    row = report.times_table(times).loc[("Axis2, clean-up", "2")]
    assert _numbers(row["From the asking"])[0] == pytest.approx(10 * HELD_MS, rel=0.05)
    assert _numbers(row["Waited for a connection (%)"])[0] == 90
    assert _numbers(report.times_table(times).loc[("Axis2, clean-up", "20")]["Waited for a connection (%)"])[0] == 0
    assert _numbers(row["Overtaken (%)"])[0] == 25


def test_calls_at_once_stand_beside_the_pool(pooled):
    table = report.at_once_table(pooled)
    assert table.loc[("Axis2, clean-up", "2"), "Most at once"] == "2"
    assert table.loc[("zeep, pool that waits", "default"), "Most at once"] == "10"
    assert table.loc[("zeep, pool that grows", "2"), "Connections"] == "20"
    assert _numbers(table.loc[("Axis2, clean-up", "2"), "Calls/s"])[0] == 30
    runs = pooled.runs.copy()
    runs.loc[(runs["client"] == "axis2") & (runs["block"] == 0), "most_at_once"] = 1
    spoilt = report.at_once_table(replace(pooled, runs=runs))
    assert spoilt.loc[("Axis2, clean-up", "2"), "Most at once"] == "1.9 (1 to 2)"


def test_times_grow_with_threads_as_a_queue_predicts():
    table = report.waiting_table(report.run_times(waiting(), ["client", "threads"]))
    assert table.loc[("Axis2", "1"), "Predicted (ms)"] == tables.MISSING
    for threads in ("2", "5", "40"):
        ratio = _numbers(table.loc[("zeep", threads), "Measured / predicted"])
        assert ratio[0] == pytest.approx(1, abs=0.03) and ratio[1] < 1 < ratio[2]


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
@pytest.mark.parametrize(("threads", "calls"), [(2, 10), (6, 60), (20, 200), (40, 200), (40, 40)])
def test_the_mean_does_not_depend_on_who_is_served_first(threads, calls, newest_first):
    assert report.queueing(threads, calls, 2) == pytest.approx(_served(threads, calls, 2, newest_first))


def test_what_gives_connections_back_is_counted():
    table = esb_releases.release_table(releases())
    assert table.loc[("cleanupTransport()", "a new one a call"), "Answered"] == "6"
    new = table.loc[("nothing, answer not read", "a new one a call")]
    assert (new["Given a connection"], new["Answered"]) == ("2", "2")
    assert new["What went wrong"] == "no connection: timeout"
    auto = table.loc[("AUTO_RELEASE_CONNECTION", "one for all calls")]
    assert (auto["Given a connection"], auto["Answered"]) == ("6", "0")


def test_the_cost_is_a_ratio_within_blocks():
    table = esb_releases.cost_table(report.run_times(cost(ratio=1.5, spread=0), ["release"]))
    assert _numbers(table.loc["callTransportCleanup", "Ratio"])[0] == 1.5
    assert table["Ratio"].isna().tolist() == [True, False]


def test_findings_are_judged_by_what_was_counted(pooled):
    found = _judged(pooled, releases(), cost())
    assert [one.id for one in declared.FINDINGS] == list(found)
    assert found["E9"].estimate == found["E9-default"].estimate == found["E9-auto-two"].estimate == 2
    assert found["E9-twenty"].estimate == 20
    assert found["E9-slow"].estimate == pytest.approx(10, rel=0.02)
    assert (found["E9-hang"].estimate, found["E9-hang-one"].estimate) == (2, 6)
    assert found["E9-cleanup"].estimate == found["E9-auto-release"].estimate == 100
    assert found["E9-auto"].estimate == 0
    refuted = {name for name, one in found.items() if one.outcome != verdicts.REPRODUCED}
    assert refuted == {"E9-hang-one", "E9-auto"}


def test_findings_turn_when_the_world_is_another(pooled):
    runs = pooled.runs.copy()
    runs["most_at_once"] = 20
    other = replace(pooled, runs=runs)
    found = _judged(other, releases(), cost(ratio=0.8))
    assert {found[name].outcome for name in ("E9", "E9-auto-two", "E9-default", "E9-cost")} == {verdicts.NOT_REPRODUCED}


def test_what_the_post_says_is_shown():
    text = report.said().to_text()
    assert "cleanupTransport" in text and "20 connections" in text


def test_the_figures_draw_their_numbers(times):
    series = report.clocks(times)
    drawn = points.numbers(series)
    assert drawn.loc["Axis2, clean-up: 2", ("From the asking", "estimate")] == pytest.approx(10 * HELD_MS, rel=0.05)
    assert figures.png(points.points(series, "Client", "ms", turned=True)).startswith(b"\x89PNG")
    assert "by a factor of 10.0" in report.describe_clocks(series)
    curves = report.waiting_curves(report.run_times(waiting(), ["client", "threads"]))
    assert list(curves) == ["Axis2, asked", "Axis2, connected", "zeep, asked", "zeep, connected"]
    assert "with 40 threads" in report.describe_waiting(curves)


@pytest.mark.parametrize("blocks", [1, 2])
def test_everything_comes_out_of_few_runs_and_levels_too(blocks):
    pooled = clients(blocks, experiment=declared.CLIENT_CONNECTIONS.select(client=["zeep"], connections=["2"]))
    waited = waiting(blocks, experiment=declared.WAITING.select(threads=["5", "20"]))
    released = releases(blocks, experiment=declared.RELEASES.select(release=["cleanup"]))
    costs = cost(blocks, experiment=declared.RELEASE_COST.select(release=["option"]))
    times = report.run_times(pooled, KEYS)
    shown = (
        report.at_once_table(pooled), report.times_table(times), esb_releases.release_table(released),
        report.waiting_table(report.run_times(waited, ["client", "threads"])),
        esb_releases.cost_table(report.run_times(costs, ["release"])),
    )  # fmt: skip
    for frame in shown:
        assert tables.table(frame, "made").to_html()
    assert {one.outcome for one in _judged(pooled, released, costs).values()} <= {
        verdicts.INCONCLUSIVE, verdicts.REPRODUCED,
    }  # fmt: skip
