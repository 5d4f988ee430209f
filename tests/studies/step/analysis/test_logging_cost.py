from dataclasses import replace

import numpy as np
import pytest

from made.settings import CLIENT_MS, MEASURED, WARM_UP, recording
from perfstudies.published import published_table
from perfstudies.report.settings import at, matched, run_means
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import logging_cost, logging_monitors
from perfstudies.studies.step.declared import LOG_LEVELS, LOGGING_COST

LEVEL, MONITOR = logging_cost.LEVEL, logging_cost.MONITOR
PUBLISHED = published_table("step", 8)
WRITTEN_MB = {str(name).lower(): size / 99.5 / 1e6 for name, size in PUBLISHED["Log size (bytes)"].items()}


def _requests(setting):
    return 1 if setting[LEVEL] == "trace" else MEASURED


def _as_published(setting):
    base = PUBLISHED.loc[LOG_LEVELS.label(setting[LEVEL]), "Time (ms)"]
    return base if setting[MONITOR] == "perf4j" else base * 289.89 / 332.91


def _written(setting):
    total = round(WRITTEN_MB[setting[LEVEL]] * 1e6 * _requests(setting))
    return {"functional_log_bytes": total, "measured_log_bytes": total}


def _made(time_ms=_as_published, levels=LOG_LEVELS.levels, facts=_written):
    made = recording(LOGGING_COST.select(log_level=levels), time_ms, requests=_requests, facts=facts)
    return logging_cost.named(made)


@pytest.fixture(scope="module")
def made():
    return _made()


def _judged(recorded, judged="perf4j"):
    volumes = logging_cost.bytes_per_request(recorded)
    return judge(logging_cost.cases(recorded.samples, volumes, judged))


def test_table_8_has_both_monitors_beside_the_published(made):
    means = run_means(made.samples, logging_cost.FACTORS)
    table = logging_cost.table_8(means, made.runs)
    assert table.index.tolist() == PUBLISHED.index.tolist()
    assert table["Published", "Time (ms)"].tolist() == PUBLISHED["Time (ms)"].tolist()
    # Requests count once, twice and three times: their mean is twice the level's time, and warm-up enters nowhere.
    perf4j, layer = (
        float(table.loc["Off", (f"Under {name}", "Time (ms)")].split(" ")[0]) for name in ("Perf4J", "Layer")
    )
    assert perf4j == pytest.approx(2 * 332.52, rel=0.01)
    assert layer == pytest.approx(2 * 332.52 * 289.89 / 332.91, rel=0.01)
    assert table.loc["Off", ("Under Layer", "Log size (bytes)")] == 0


def test_levels_are_compared_on_the_requests_that_both_sent(made):
    part = at(made.samples, {MONITOR: "perf4j"})
    pair = logging_cost.pair_by_block(part, "trace", "off")
    assert (pair["trace"] / pair["off"]).mean() == pytest.approx(37430.76 / 332.52, rel=0.01)
    assert set(matched(part, [{LEVEL: level} for level in LOG_LEVELS.levels])["request"]) == {WARM_UP}


def test_a_block_without_a_run_of_one_level_is_left_out_of_its_pairs(made):
    part = at(made.samples[made.samples["run"] != "3-perf4j-info"], {MONITOR: "perf4j"})
    assert 3 not in logging_cost.pair_by_block(part, "info", "off").index
    assert 3 in logging_cost.pair_by_block(part, "warn", "off").index


def test_the_published_values_reproduce_every_finding(made):
    verdicts = _judged(made)
    assert [verdict.outcome for verdict in verdicts] == ["reproduced"] * 11
    for verdict in verdicts:
        assert verdict.estimate == pytest.approx(float(verdict.finding.published), rel=0.02, abs=1e-9)


def test_other_costs_contradict_the_findings():
    def time_ms(setting):
        return 100.0 if setting[LEVEL] in ("off", "fatal") else 150.0

    recorded = _made(time_ms, facts=lambda setting: dict.fromkeys(("functional_log_bytes", "measured_log_bytes"), 100))
    outcomes = {verdict.finding.id: verdict.outcome for verdict in _judged(recorded)}
    assert outcomes.pop("S21-fatal") == "reproduced"
    assert set(outcomes.values()) == {"not reproduced"}
    assert "S21-monitor" in outcomes


def test_only_the_judged_monitor_s_runs_decide_about_levels():
    def time_ms(setting):
        return 100.0 if setting[MONITOR] == "perf4j" or setting[LEVEL] == "off" else 300.0

    recorded = _made(time_ms)
    by_monitor = {
        monitor: {v.finding.id: v.outcome for v in _judged(recorded, monitor)} for monitor in ("perf4j", "layer")
    }
    assert by_monitor["perf4j"]["S21-info"] == "reproduced"
    assert by_monitor["layer"]["S21-info"] == "not reproduced"


def test_findings_on_levels_or_monitors_that_were_not_measured_are_left_out():
    recorded = _made(lambda setting: 100.0 if setting[MONITOR] == "perf4j" else None, levels=["off", "info"])
    assert [verdict.finding.id for verdict in _judged(recorded)] == ["S21-info"]


def test_costs_are_ratios_to_off_under_each_monitor(made):
    table = logging_cost.costs(made.samples, ["off", "info", "trace"], seed=1)
    assert table.index.tolist() == ["Info", "Trace"]
    for monitor in ("Layer", "Perf4J"):
        ratio = table.loc["Trace", (f"Under {monitor}", "Ratio to off")]
        assert float(ratio.split(" ")[0]) == pytest.approx(112.6, rel=0.01)
    assert table.loc["Trace", ("Published", "Ratio to off")] == pytest.approx(112.567, abs=0.001)


def test_quiet_levels_are_tested_for_equivalence_under_each_monitor(made):
    tests = logging_cost.quiet_equivalence(made.samples, logging_cost.QUIET)
    table = logging_cost.quiet_table(tests)
    assert len(table) == 10
    assert table["Under Perf4J", "Equivalent"].all() and table["Under Layer", "Equivalent"].all()
    assert logging_cost.quiet_text(tests).count("All pairs are equivalent within 5%") == 2


def test_monitors_are_compared_by_their_own_records_and_by_the_client_s_clock(made):
    table = logging_monitors.monitors_compared(logging_monitors.with_client_times(made), list(LOG_LEVELS.levels))
    own, client = (float(table.loc["Info", column].split(" ")[0]) for column in table.columns[1:])
    assert own == pytest.approx(332.91 / 289.89, rel=0.005)
    assert client == pytest.approx((2 * 332.91 + CLIENT_MS) / (2 * 289.89 + CLIENT_MS), rel=0.005)
    assert table.loc["Info", "Table 8 over Table 1"] == "1.148"
    assert table["Table 8 over Table 1"].notna().sum() == 1


def test_a_run_with_a_call_that_never_arrived_has_no_client_times(made):
    lost = made.samples.drop(made.samples.index[made.samples["run"] == "0-layer-off"][-1])
    samples = logging_monitors.with_client_times(replace(made, samples=lost))
    missing = samples[samples["client_ms"].isna()]
    assert set(missing["run"]) == {"0-layer-off"}
    whole = samples[samples["run"] != "0-layer-off"]
    assert (whole["client_ms"] - whole["request_ms"]).to_numpy() == pytest.approx(np.full(len(whole), CLIENT_MS))


def test_the_published_volume_is_a_session_s_two_requests_less_the_empty_groups(made):
    volume = logging_cost.published_mb_per_request(PUBLISHED, sessions=50, max_group=100)
    assert volume["Debug"] == pytest.approx(296059571 / 99.5 / 1e6)
    table = logging_cost.volume_table(logging_cost.bytes_per_request(made))
    assert table.loc["Debug", ("Published", "10⁶ bytes a request")] == "2.9755"
    assert table.loc["Debug", ("Under Perf4J", "10⁶ bytes a request")] == "2.9755 ± 0.0000"


def test_figure_16_is_put_into_words(made):
    series = logging_cost.time_series(run_means(made.samples, logging_cost.FACTORS))
    assert list(series) == ["published", "Layer", "Perf4J"]
    assert "Trace 37,431, " in logging_cost.describe(series)


def test_a_byte_costs_what_its_level_adds_over_what_it_writes(made):
    table = logging_cost.rate_table(made.samples, logging_cost.bytes_per_request(made))
    debug, trace = (float(rate.replace(",", "")) for rate in table["Published", "ms for 10⁶ bytes"])
    assert (debug, trace) == pytest.approx((4098.5 / 2.9754, 37097.85 / 20.3966), rel=0.001)
    measured = [float(text.split(" ")[0].replace(",", "")) for text in table["Under Perf4J", "ms for 10⁶ bytes"]]
    # Runs at debug send three requests that take once, twice and three times the level's time; at trace one.
    assert measured == pytest.approx([2 * debug, trace], rel=0.02)


def test_a_level_that_was_not_measured_has_no_rate():
    made = _made(levels=("off", "info", "debug"))
    table = logging_cost.rate_table(made.samples, logging_cost.bytes_per_request(made))
    assert table["Under Perf4J", "ms for 10⁶ bytes"].notna().tolist() == [True, False]
