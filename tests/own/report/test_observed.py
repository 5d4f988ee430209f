"""The report of an observed system: what is compared, what is said of it, and nothing said where nothing is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from made.observed import REQUESTS, made
from perfstudies.errors import BadParameter
from perfstudies.own import aggregate
from perfstudies.own.logs.observe import observe
from perfstudies.own.logs.samples import FOLDER
from perfstudies.own.report import observed_compare as compare
from perfstudies.own.report import observed_figures, observed_page
from perfstudies.own.report import observed_runs as runs

TWO = {"old": 10.0, "new": 10.0}


def test_warm_up_is_found_and_left_out_of_the_means():
    analysed = runs.analyse(made({"one": 10.0}, warm_up=20, between=0.0, within=0.1))
    assert analysed.steady_part and "5 of 5 runs have a steady state; their steady parts" in analysed.sentence
    # Twenty requests in intervals of 50 ms come before it; windows of 250 ms, of which one may be lost, tell where.
    assert (analysed.runs["steady_s"].between(1.0, 1.5)).all()
    assert (analysed.runs["mean_ms"] > 14).all()
    assert analysed.runs["used_ms"].to_numpy() == pytest.approx(10.05, rel=0.03)


def test_where_one_setting_has_no_steady_state_all_requests_of_all_are_compared():
    drifting = made({"steady": 10.0, "drifting": 10.0}, within=0.05)
    windows = drifting.windows
    moved = (windows["setting"] == "drifting").to_numpy()
    windows = windows.assign(mean_ms=np.where(moved, windows["mean_ms"] * (1 + windows["at_s"]), windows["mean_ms"]))
    analysed = runs.analyse(replace(drifting, windows=windows))
    assert not analysed.steady_part and "all requests are compared" in analysed.sentence
    assert (analysed.runs["used_ms"] == analysed.runs["mean_ms"]).all()


def test_a_run_without_a_steady_state_is_shown_but_not_compared_where_most_have_one():
    found = made({"one": 10.0, "other": 11.0}, runs=6, within=0.05)
    windows = found.windows
    moved = ((windows["setting"] == "one") & (windows["run"] == "run 2")).to_numpy()
    windows = windows.assign(mean_ms=np.where(moved, windows["mean_ms"] * (1 + windows["at_s"]), windows["mean_ms"]))
    analysed = runs.analyse(replace(found, windows=windows))
    assert analysed.steady_part and len(analysed.runs) == 12 and len(analysed.compared) == 11
    assert compare.compare(analysed).pairs["runs"].tolist() == [5]
    assert len(observed_figures.over_time(analysed)) == 12 and len(runs.runs_table(analysed)) == 12


def test_runs_are_paired_only_where_settings_share_them():
    assert runs.analyse(made(TWO)).blocked
    assert not runs.analyse(made(TWO, paired=False)).blocked
    assert not runs.analyse(made({"one": 10.0})).blocked


def test_different_settings_are_told_apart_and_equal_ones_shown_to_be_equal():
    analysed = runs.analyse(made({"one": 10.0, "same": 10.0, "slow": 13.0}, runs=10, between=0.01, within=0.05))
    compared = compare.compare(analysed, 1.05)
    verdicts = {f"{pair.second}/{pair.first}": pair.verdict for pair in compared.pairs.itertuples()}
    assert verdicts == {"same/one": "equivalent", "slow/one": "different", "slow/same": "different"}
    text = compare.pairs_table(compared).to_text()
    assert "slow / one" in text and "p of equivalence within 5%" in text


def test_too_few_runs_for_either_are_undecided():
    analysed = runs.analyse(made({"one": 10.0, "other": 10.6}, runs=3, between=0.1))
    assert compare.compare(analysed).pairs["verdict"].tolist() == ["undecided"]


def test_one_run_a_setting_has_batch_means_and_no_verdict():
    analysed = runs.analyse(made({"one": 10.0, "other": 20.0}, runs=1))
    mean = runs.mean_of(analysed, "one")
    assert mean.low < mean.estimate < mean.high
    assert mean.estimate == pytest.approx(analysed.of("one")["used_ms"].iloc[0], rel=1e-6)
    compared = compare.compare(analysed)
    assert compared.pairs["verdict"].tolist() == ["no verdict"] and compared.pairs["ratio"].iloc[0] > 1.5
    assert "nothing can be judged" in compare.pairs_table(compared).to_text()
    assert "No analysis of variance: there are settings of one run only" in compare.variance_table(analysed).to_text()
    assert "How much runs differ is not in it" in observed_page.show_settings(analysed).to_text()


def test_a_log_without_times_of_day_is_reported_as_far_as_it_goes():
    rows = pl.DataFrame(
        {
            "setting": ["a"] * 20, "run": ["1"] * 10 + ["2"] * 10, "start_s": pl.Series([None] * 20, dtype=pl.Float64),
            "elapsed_ms": [1.0, 2.0] * 10, "ok": [True] * 20, "operation": ["x"] * 20,
        }
    )  # fmt: skip
    analysed = runs.analyse(aggregate.collect(rows.lazy()))
    assert not analysed.steady_part
    shown = observed_page.show_over_time(analysed).to_text()
    assert "No run has enough times of day" in shown and "it has no times of day" in shown
    assert runs.settings_table(analysed).loc["a", "Requests/s"] is None


@pytest.mark.parametrize("file", ["run_stats.csv", "run_stats_history.csv"])
def test_totals_alone_are_reported_as_far_as_they_go(file):
    analysed = runs.analyse(observe({"old": FOLDER / "locust" / file}))
    assert runs.settings_table(analysed).loc["old", "Mean (ms)"]
    assert "nothing of that in these runs" in observed_page.show_percentiles(analysed).to_text()


def test_times_of_0_ms_count_in_what_is_compared():
    found = made({"one": 10.0}, between=0.0, within=0.05)
    windows = found.windows
    half = windows.groupby(["setting", "run"]).cumcount() % 2 == 1
    windows = windows.assign(mean_ms=windows["mean_ms"].where(half, 0.0))
    analysed = runs.analyse(replace(found, windows=windows))
    assert analysed.steady_part and analysed.runs["used_ms"].to_numpy() == pytest.approx(5.0, rel=0.1)


def test_a_tenth_of_the_moving_average_ends_with_the_first_tenth():
    found = made({"one": 10.0}, runs=1, requests=4000, between=0.0, within=0.05)
    windows = found.windows.assign(mean_ms=1.0 + found.windows["at_s"])
    table = observed_figures.over_time(runs.analyse(replace(found, windows=windows)))
    count, ends_s = len(windows), windows["at_s"].to_numpy()
    own = count // observed_figures.TENTHS
    assert table["10 %"].iloc[0] == pytest.approx(1 + ends_s[:own].mean())
    assert table["100 %"].iloc[0] == pytest.approx(1 + ends_s[-own:].mean())


def test_errors_count_and_their_times_do_not():
    analysed = runs.analyse(made({"one": 10.0}, errors=12))
    table = runs.settings_table(analysed)
    assert table.loc["one", "Errors (%)"].startswith(f"{100 * 12 / REQUESTS:.1f}")
    assert runs.operations_table(analysed.observed).loc[("one", "order"), "Errors"] == 60


def test_nothing_but_errors_is_told():
    with pytest.raises(BadParameter, match="there are no times to report"):
        runs.analyse(made({"one": 10.0}, errors=REQUESTS))


def test_the_analysis_of_variance_has_blocks_where_there_are_any():
    assert "Block" in compare.variance_table(runs.analyse(made(TWO))).to_text()
    assert "Block" not in compare.variance_table(runs.analyse(made(TWO, paired=False))).to_text()
    assert "there is one setting only" in compare.variance_table(runs.analyse(made({"one": 1.0}))).to_text()


def test_percentiles_are_those_of_runs_within_a_bin():
    analysed = runs.analyse(made({"one": 10.0}, runs=3, requests=2000, between=0.0))
    found = observed_figures.percentiles(analysed).loc["one", "estimate"]
    assert found["50 %"] == pytest.approx(10.0, rel=0.13) and found["99 %"] == pytest.approx(
        10 * np.exp(0.3 * stats.norm.ppf(0.99)), rel=0.15
    )
    assert found.is_monotonic_increasing


def test_percentiles_below_what_a_log_resolves_are_left_out(tmp_path):
    for at in range(2):
        rows = [f"{1_700_000_000_000 + n * 100},{0 if n < 40 else 10},get,true" for n in range(100)]
        (tmp_path / f"{at}.jtl").write_text("timeStamp,elapsed,label,success\n" + "\n".join(rows) + "\n")
    found = observed_figures.percentiles(runs.analyse(observe({"one": str(tmp_path / "*.jtl")})))
    assert found.index.get_level_values("Share of requests")[0] == "50 %"
    assert found["estimate"].to_numpy() == pytest.approx(10, rel=0.13)
    observed_figures.percentiles_figure(found).canvas.draw()
    less = found.drop("50 %", level="Share of requests")
    assert "half" not in observed_figures.describe_percentiles(less)


def test_what_was_set_aside_is_escaped_and_counted():
    text = pd.DataFrame({"file": ["<b>.log"], "line": [3], "problem": ["cut"], "text": ["<script>alert(1)</script>"]})
    analysed = runs.analyse(replace(made({"one": 10.0}), set_aside=text, set_aside_lines=1234))
    html = observed_page.show_set_aside(analysed).to_html()
    assert "<script>" not in html and "&lt;script&gt;" in html and "&lt;b&gt;.log" in html and "1,234 lines" in html


def test_figures_bear_any_name_and_number_of_settings():
    names = {f"$x_{place}^{{$ <i> {'long ' * 10}": 10.0 + place for place in range(8)}
    analysed = runs.analyse(made(names, runs=2, requests=40))
    found = observed_figures.percentiles(analysed)
    for figure in (observed_figures.percentiles_figure(found), observed_figures.over_time_figure(analysed)):
        figure.canvas.draw()
    assert observed_figures.describe_percentiles(found).count("half within") == 8


def test_the_headline_numbers_are_what_the_tables_say():
    analysed = runs.analyse(made({"one": 10.0, "two": 20.0}))
    rows = compare.headlines(analysed, compare.compare(analysed))
    names = [(row["name"], row["setting"]) for row in rows]
    assert names.count(("mean time", "one")) == 1 and names[-1] == ("ratio of mean times", "two / one")
    assert rows[-1]["value"] == pytest.approx(2, rel=0.1)
    data, metadata = observed_page.show_results(analysed, compare.compare(analysed))._repr_mimebundle_()
    assert len(metadata["perfstudies"]["results"]) == len(rows) and "mean time" in data["text/plain"]


@pytest.mark.parametrize("paired", [True, False])
def test_equal_settings_are_called_different_no_more_often_than_the_level_says(paired):
    times, different = 300, 0
    three = {"a": 10.0, "b": 10.0, "c": 10.0}
    for seed in range(times):
        analysed = _quick(three, seed, paired)
        different += (compare.compare(analysed).pairs["verdict"] == "different").any()
    # Over the whole family of three pairs; a rate above 5 % would show by so much once in a thousand times.
    assert different <= stats.binom.ppf(0.999, times, compare.LEVEL)
    assert different > 0


def test_settings_at_the_margin_are_hardly_ever_called_equivalent():
    times = 200
    at_margin = sum(
        compare.compare(_quick({"a": 10.0, "b": 10.5}, seed, True, 0.02), 1.05).pairs["verdict"].iloc[0] == "equivalent"
        for seed in range(times)
    )
    assert at_margin <= stats.binom.ppf(0.999, times, compare.LEVEL)


def _quick(settings, seed, paired, between=0.05):
    """Return an analysis of simulated run means alone: the search for steady states has tests of its own."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        [
            (setting, f"run {run}" if paired else f"{setting} {run}", ms * np.exp(rng.normal(0, between)))
            for setting, ms in settings.items()
            for run in range(6)
        ],
        columns=["setting", "run", "used_ms"],
    )
    none = aggregate.Observed(rows, rows, rows, rows, rows, 0, ())
    return runs.Analysed(none, rows, tuple(settings), paired, True, "", True)
