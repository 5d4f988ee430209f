import numpy as np
import pandas as pd
import pytest

from perfstudies.published import published_table
from perfstudies.report import step_logging
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step import INTERCEPTION, LOG_LEVELS

LEVEL = LOG_LEVELS.name
WARM_UP = 2


def _samples(times_ms: dict[str, float], blocks=12, spread=0.005):
    """A request's time is its level's times its number; trace sends one measured request, others three."""
    rng = np.random.default_rng(1)
    rows = []
    for block in range(blocks):
        for level, ms in times_ms.items():
            run_ms = ms * rng.normal(1, spread)
            for request in range(WARM_UP + (1 if level == "trace" else 3)):
                measured = request >= WARM_UP
                request_ms = run_ms * (1 + request) if measured else 9999.0
                rows.append((f"{level}-{block}", block, level, request, measured, request_ms))
    frame = pd.DataFrame(rows, columns=["run", "block", LEVEL, "request", "measured", "request_ms"])
    frame[LEVEL] = pd.Categorical(frame[LEVEL], LOG_LEVELS.levels)
    return frame


def _volumes(samples, written_mb):
    runs = samples.drop_duplicates("run")[["run", "block", LEVEL]]
    mb = runs[LEVEL].astype(str).map(written_mb) * np.random.default_rng(2).normal(1, 0.01, len(runs))
    total = (mb * 1e6).round()
    return runs.assign(mb_per_request=mb, functional_log_bytes=total, measured_log_bytes=total)


@pytest.fixture
def published():
    return published_table("step", 8)


@pytest.fixture
def samples(published):
    return _samples(published["Time (ms)"].rename(str.lower).to_dict())


def test_warm_up_does_not_enter_the_means(samples):
    means = step_logging.run_means(samples).set_index("run")["request_ms"]
    assert means["off-0"] == pytest.approx(332.52 * 4, rel=0.03)  # requests 2, 3, 4 count 3, 4, 5 times


def test_levels_are_compared_on_the_requests_that_both_sent(samples):
    pair = step_logging.pair_by_block(samples, "trace", "off")
    assert (pair["trace"] / pair["off"]).mean() == pytest.approx(37430.76 / 332.52, rel=0.01)
    assert set(step_logging.matched(samples, list(LOG_LEVELS.levels))["request"]) == {WARM_UP}


def test_a_block_without_a_run_of_one_level_is_left_out_of_its_pairs(samples):
    lacking = samples[samples["run"] != "info-3"]
    assert 3 not in step_logging.pair_by_block(lacking, "info", "off").index
    assert 3 in step_logging.pair_by_block(lacking, "warn", "off").index


def test_the_published_values_reproduce_every_finding(samples, published):
    per_request = step_logging.published_mb_per_request(published, 50, 100).rename(str.lower).to_dict()
    verdicts = judge(step_logging.cases(samples, _volumes(samples, per_request)))
    assert [verdict.outcome for verdict in verdicts] == ["reproduced"] * 10
    for verdict in verdicts:
        assert verdict.estimate == pytest.approx(float(verdict.finding.published), rel=0.02, abs=1e-9)


def test_other_costs_contradict_the_findings():
    levels = (
        dict.fromkeys(("off", "fatal"), 100.0)
        | dict.fromkeys(("error", "warn", "info", "debug"), 150.0)
        | {"trace": 150.0}
    )
    samples = _samples(levels)
    verdicts = judge(step_logging.cases(samples, _volumes(samples, dict.fromkeys(levels, 0.1))))
    outcomes = {verdict.finding.id: verdict.outcome for verdict in verdicts}
    assert outcomes.pop("S21-fatal") == "reproduced"
    assert set(outcomes.values()) == {"not reproduced"}


def test_findings_on_levels_that_were_not_measured_are_left_out():
    samples = _samples({"off": 100.0, "info": 100.0})
    cases = list(step_logging.cases(samples, _volumes(samples, {"off": 0.0, "info": 0.1})))
    assert [finding.id for finding, *_ in cases] == ["S21-info"]


def test_costs_are_ratios_to_off(samples):
    table = step_logging.costs(samples, ["off", "info", "trace"], seed=1)
    assert table.index.tolist() == ["Info", "Trace"]
    assert float(table.loc["Trace", "Ratio to off"].split(" ")[0]) == pytest.approx(112.6, rel=0.01)


def test_levels_are_also_compared_with_the_steady_state_of_longer_runs(samples):
    rng = np.random.default_rng(3)
    rows = [
        (f"run-{run}", request, "false", "searchFlights", "ok", 100, 500 * rng.normal(1, 0.01))
        for run in range(6)
        for request in range(40)
    ]
    columns = ["run", "request", INTERCEPTION.name, "operation", "outcome", "request_length", "request_ms"]
    breakdown = pd.DataFrame(rows, columns=columns)
    # A cold start that is no part of the steady state.
    breakdown.loc[breakdown["request"] < 8, "request_ms"] *= 5
    levels = pd.Categorical(breakdown[INTERCEPTION.name], INTERCEPTION.levels)
    table = step_logging.against_steady(
        step_logging.run_means(samples), breakdown.assign(**{INTERCEPTION.name: levels}), ["trace"]
    )
    ratio = float(table.loc["Trace", "Ratio to the steady state at info"].split(" ")[0])
    assert ratio == pytest.approx(37430.76 * 3 / 500, rel=0.02)  # trace's one measured request counts 3 times


def test_the_published_volume_is_a_session_s_two_requests_less_the_empty_groups(published):
    volume = step_logging.published_mb_per_request(published, sessions=50, max_group=100)
    assert volume["Debug"] == pytest.approx(296059571 / 99.5 / 1e6)


def test_figure_16_is_put_into_words(samples, published):
    words = step_logging.describe(published, step_logging.mean_times(step_logging.run_means(samples)))
    assert "Trace 37,431 and" in words
