from dataclasses import replace

import pytest

from made.aaa_timers import made
from perfstudies.stats.verdicts import NOT_REPRODUCED, REPRODUCED, judge
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import two_beans
from perfstudies.studies.aaa.analysis.timers import ANSWERED, EJB

SOFT, STRICT, PATIENT = "GlassFish, pool of 2", "OpenEJB, strict pool of 2", "OpenEJB, strict pool of 2, no time limit"


@pytest.fixture(scope="module")
def recorded():
    return made(aaa.TWO_BEANS, 10)


@pytest.fixture(scope="module")
def drawn(recorded):
    return two_beans.timeline(recorded)


@pytest.fixture(scope="module")
def counts(recorded):
    return two_beans.run_counts(recorded)


def test_a_request_s_time_is_divided_in_the_study_s_scale(drawn):
    assert len(drawn) == 40
    last = drawn.loc[(PATIENT, 10)]
    assert last["start_s"] == pytest.approx(18)
    assert last["waiting_s"] == pytest.approx(402 - 18 + 0.15)
    assert last["bean_s"] == pytest.approx(100)
    assert last["end_s"] == pytest.approx(502.2)
    assert last["waiting_s"] + last["bean_s"] + last["rest_s"] == pytest.approx(last["end_s"] - last["start_s"])
    refused = drawn.loc[(STRICT, 3)]
    assert refused["result"] == EJB and refused["bean_s"] == 0
    assert refused["waiting_s"] == pytest.approx(30.2)


def test_only_the_first_run_of_a_setting_is_drawn(recorded, drawn):
    # Later blocks have other own times.
    assert drawn["rest_s"].max() == pytest.approx(0.05)
    later = replace(recorded, runs=recorded.runs[recorded.runs["block"] > 0])
    assert two_beans.timeline(later)["rest_s"].max() == pytest.approx(0.055)


def test_the_figure_has_a_bar_a_step_and_a_mark_a_failure(drawn):
    figure = two_beans.timeline_figure(drawn)
    assert [axes.get_title() for axes in figure.axes] == [SOFT, "GlassFish, pool of 32", STRICT, PATIENT]
    assert all(len(axes.patches) == 30 for axes in figure.axes)
    assert [len(axes.lines) for axes in figure.axes] == [0, 0, 8, 0]
    said = two_beans.describe(drawn)
    assert f"{SOFT}: 10 of 10 answered, at most 10 in a bean at the same time, the last after 118 s" in said
    assert f"{STRICT}: 2 of 10 answered, at most 2 in a bean" in said
    assert "no time limit: 10 of 10 answered, at most 2 in a bean at the same time, the last after 502 s" in said


def test_counts_tell_a_soft_pool_from_a_strict_one(counts):
    by_run = counts.set_index("run")
    assert by_run.loc["b000-glassfish-2", ["answered", "at_once", "kept", "used"]].tolist() == [10, 10, 2, 10]
    assert by_run.loc["b000-openejb-2", ["answered", "at_once", "used"]].tolist() == [2, 2, 2]
    table = two_beans.counts_table(counts)
    assert table.loc[SOFT, "Beans kept"] == "2" and table.loc[PATIENT, "Last over (s)"] == "502"


def test_values_that_differ_between_runs_are_given_with_their_range(counts):
    varied = counts.assign(answered=counts["answered"] - (counts["block"] == 2))
    assert two_beans.counts_table(varied).loc[SOFT, "Answered"] == "9.7 (9 to 10)"


def test_findings_follow_the_counts(counts):
    found = {verdict.finding.id: verdict.outcome for verdict in judge(two_beans.cases(counts))}
    assert set(found.values()) == {REPRODUCED} and len(found) == 6
    strict = counts.assign(at_once=2)
    assert {v.finding.id: v.outcome for v in judge(two_beans.cases(strict))}["A11-once"] == NOT_REPRODUCED


def test_missing_settings_have_no_values():
    found = two_beans.run_counts(made(aaa.TWO_BEANS.select(pool=["glassfish-2"]), 10, blocks=1))
    sizes = {finding.id: len(values) for finding, values, _ in two_beans.cases(found)}
    assert sizes["A11"] == 1 and sizes["A11-patient"] == 0
    assert ANSWERED in two_beans.timeline(made(aaa.TWO_BEANS.select(pool=["glassfish-2"]), 10))["result"].tolist()
