import numpy as np
import pandas as pd
import pytest

from perfstudies.published import published_table
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import breakdown
from perfstudies.studies.step.declared import INTERCEPTION
from perfstudies.studies.step.logs.slices import SLICES


def _samples(times_ms, runs=5, requests=4):
    """Requests of equal times, a little slower from run to run, for both levels of interception."""
    rows = [
        {"run": f"{level}-{run}", "request": request, INTERCEPTION.name: level}
        | {name: ms * (1 + run / 100) for name, ms in zip(SLICES, times_ms, strict=True)}
        for level in INTERCEPTION.levels
        for run in range(runs)
        for request in range(requests)
    ]
    frame = pd.DataFrame(rows)
    frame["request_ms"] = frame[list(SLICES)].sum(axis=1)
    frame[INTERCEPTION.name] = pd.Categorical(frame[INTERCEPTION.name], INTERCEPTION.levels)
    return frame


@pytest.fixture
def as_published():
    return _samples(published_table("step", 1)["Time (ms)"])


def test_the_published_times_give_the_published_table(as_published):
    table = breakdown.table_1(breakdown.of_setting(as_published, "false"))
    published = published_table("step", 1)
    assert table.index.tolist() == published.index.tolist()
    assert [cell.split(" ±")[0] for cell in table["Time %"]] == [f"{share:.2f}" for share in published["Time %"]]
    # Run means are 1, 1.01 .. 1.04 times the published: their mean is 2 % above it.
    assert float(table.loc["Service", "Time (ms)"].split(" ±")[0]) == pytest.approx(203.14 * 1.02, abs=0.01)


def test_the_published_times_reproduce_every_finding(as_published):
    samples = as_published.copy()
    noise = np.random.default_rng(1).normal(1, 0.002, (len(samples), len(SLICES)))
    samples[list(SLICES)] *= noise
    verdicts = judge(breakdown.cases(breakdown.of_setting(samples, "false")))
    assert {verdict.finding.id: verdict.outcome for verdict in verdicts} == dict.fromkeys(
        ("S1", "S1-share", "S2", "S2-share", "S2-order", "S3"), "reproduced"
    )
    for verdict in verdicts:
        assert verdict.estimate == pytest.approx(float(verdict.finding.published), rel=0.02)


def test_another_breakdown_contradicts_the_findings():
    verdicts = judge(breakdown.cases(breakdown.of_setting(_samples((20, 20, 5, 10, 15, 30.0)), "false")))
    outcomes = {verdict.finding.id: verdict.outcome for verdict in verdicts}
    assert set(outcomes.values()) == {"not reproduced"}


def test_margins_are_student_s_beside_the_study_s(as_published):
    margins = breakdown.margins(breakdown.of_setting(as_published, "false")).loc["Whole request"]
    assert margins["Runs"] == 5
    assert margins["t 95 %"] / margins["normal 95 %"] == pytest.approx(2.776 / 1.96, rel=1e-3)


def test_kinds_of_requests_are_told_apart_by_operation_and_outcome(as_published):
    samples = breakdown.of_setting(as_published, "false").assign(operation="search", outcome="ok")
    samples.loc[samples["request"] == 3, "outcome"] = "fault"
    samples.loc[samples["request"] == 3, "engine_ms"] = 0.0
    table = breakdown.by_outcome(samples)
    assert table["Requests"].to_dict() == {"search, fault": 5, "search, ok": 15}
    assert table.loc["search, fault", "Hibernate Engine"] == "0.0 ± 0.0"
    assert table.loc["search, ok", "Service"].startswith("207.2 ± ")


def test_figure_6_is_put_into_words(as_published):
    words = breakdown.describe(breakdown.mean_shares(as_published, "request"), published_table("step", 1))
    assert "Service 70 and 70 %" in words


def test_interception_levels_are_compared_side_by_side(as_published):
    table = breakdown.by_interception(as_published)
    assert table.columns.tolist() == list(INTERCEPTION.labels)
    drawn, numbers = breakdown.interception_figure(as_published)
    assert numbers.loc["Service"].tolist() == pytest.approx([70.07, 70.07], abs=0.01)
    assert len(drawn.axes) == 1


def test_parts_of_a_run_end_at_twice_as_many_requests():
    samples = _samples((1, 2, 3, 4, 5, 6.0), runs=3, requests=22)
    late = samples["request"] >= 20
    samples.loc[late, list(SLICES)] *= [1, 1, 1, 0.1, 1, 1]
    samples["request_ms"] = samples[list(SLICES)].sum(axis=1)
    table = breakdown.shares_by_part(breakdown.of_setting(samples, "false"))
    assert table.index.tolist() == ["1 to 5", "6 to 10", "11 to 20", "21 to 22"]
    engine = [float(cell.split(" ±")[0]) for cell in table["Hibernate Engine (%)"]]
    assert engine == pytest.approx([100 * 4 / 21] * 3 + [100 * 0.4 / 17.4], abs=0.05)
    times = breakdown.times_by_part(breakdown.of_setting(samples, "false"))
    assert times["Hibernate Engine"]["estimate"].tolist() == pytest.approx([4.04] * 3 + [0.404])  # over 1, 1.01, 1.02
    assert "Hibernate Engine 4.04 and 0.404" in breakdown.describe_parts(times)
