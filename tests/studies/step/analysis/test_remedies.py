import pytest

from made.recordings import remedies, users
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import errors as step_errors
from perfstudies.studies.step.analysis import remedies as step_remedies
from perfstudies.studies.step.analysis import users as step_users
from perfstudies.studies.step.declared import REMEDIES

ERRORS = dict(zip(REMEDIES.levels, (6, 6, 1, 0, 0, 2, 1), strict=True))
PER_S = dict(zip(REMEDIES.levels, (20, 20, 25, 30, 18, 6, 4), strict=True))


def _runs(errors=ERRORS, **more):
    return step_users.run_table(remedies(errors, PER_S, **more), "remedy")


def test_each_remedy_shows_errors_cost_and_retries():
    table = step_remedies.remedies_table(_runs())
    assert table.index.tolist() == list(REMEDIES.labels)
    assert table.loc["None", "Errors (%)"] == "30.00 [30.00, 30.00]"
    # 14 of 20 requests succeed, 20 are sent a second; later blocks are 1 and 2 % slower.
    assert float(table.loc["None", "Successful requests/s"].split()[0]) == pytest.approx(14 * 0.99, abs=0.02)
    assert table.loc["Retry", "Retries a request"].startswith("2.00")
    assert table.loc["Retry", "Stale objects a request"].startswith("2.00")


def test_remedies_are_compared_with_none_within_blocks():
    table = step_remedies.against_none(_runs())
    assert table.index.tolist() == list(REMEDIES.labels[1:])
    assert table.loc["No domain root", "Errors, difference (points)"] == "-25.00 [-25.00, -25.00]"
    assert table.loc["Retry", "Successful requests/s, ratio"].startswith("1.286")  # 18 of 18 against 14 of 20
    assert table.loc["Random numbers", "Time, ratio"].startswith("1.000")


def test_without_none_there_is_nothing_to_compare_with():
    assert step_remedies.against_none(_runs({"retry": 0, "no-root": 1})).empty


def test_a_single_block_gives_estimates_without_intervals():
    table = step_remedies.against_none(_runs(blocks=1))
    assert table.loc["Retry", "Errors, difference (points)"] == "-30.00 [no interval]"


def test_the_figure_sets_errors_against_successful_requests():
    drawn = step_remedies.points(_runs())
    figure = step_remedies.remedies_figure(drawn)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(REMEDIES.labels)
    assert "None: 30.0 % and 13.9/s" in step_remedies.describe(drawn)


def _findings(stale_every, remedy_errors=ERRORS, levels=("1", "2", "4", "8", "16"), change=lambda runs: runs):
    recorded = users(stale_every, blocks=4, levels=levels)
    runs = change(step_users.run_table(recorded))
    exceptions = step_errors.with_mistakes(runs, recorded.calls)
    found = judge(step_remedies.cases(runs, exceptions, _runs(remedy_errors, blocks=4)))
    return {verdict.finding.id: verdict for verdict in found}


def test_users_as_the_study_saw_them_reproduce_its_findings():
    quick = {"1": 1.0, "2": 1.2, "4": 1.5, "8": 2.5, "16": 5.0}
    found = _findings(
        {"2": 6, "4": 4, "8": 3, "16": 3},
        change=lambda runs: runs.assign(request_ms=runs["users"].astype(str).map(quick) * (1 + runs["block"] / 100)),
    )
    assert found.pop("S18-level").outcome in ("inconclusive", "reproduced")  # the few mistakes that were drawn decide
    assert {id: one.outcome for id, one in found.items()} == dict.fromkeys(
        ("S17", "S18-same", "S19-one", "S19-trend", "S19-sixteen", "S20-stale", "S20-root"), "reproduced"
    )
    assert found["S17"].estimate == pytest.approx(5)
    assert found["S20-root"].estimate == pytest.approx(-25)


def test_other_causes_and_a_slow_server_contradict_them():
    found = _findings(
        {"1": 5, "2": 5, "4": 5, "8": 5, "16": 5},
        dict.fromkeys(REMEDIES.levels, 5),
        change=lambda runs: runs.assign(optimistic_failures=0, error_share=20.0),
    )
    # One user in five fails whatever the number; with 16 users a request takes 16 times as long.
    outcomes = {id: found[id].outcome for id in ("S17", "S19-one", "S19-trend", "S20-stale", "S20-root")}
    assert outcomes == dict.fromkeys(outcomes, "not reproduced")


def test_the_trend_is_the_slope_over_doublings():
    def steep(runs):
        return runs.assign(error_share=runs["users"].map({"1": 0, "2": 10, "4": 20, "8": 30, "16": 40}).astype(float))

    assert _findings({}, change=steep)["S19-trend"].estimate == pytest.approx(10)


def test_levels_that_were_not_measured_leave_findings_open():
    found = _findings({"2": 6}, {"retry": 0}, levels=("1", "2"))
    assert found["S19-one"].outcome == "reproduced"
    open_ones = {id for id, one in found.items() if one.runs == 0}
    assert open_ones == {"S17", "S18-same", "S19-trend", "S19-sixteen", "S20-root"}
