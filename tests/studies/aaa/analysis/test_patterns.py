import numpy as np
import pandas as pd
import pytest

from made import aaa as made_aaa
from perfstudies.errors import BadParameter
from perfstudies.studies.aaa.analysis import charts, patterns, published
from perfstudies.studies.aaa.analysis import times as aaa_times
from perfstudies.studies.aaa.analysis import waves as aaa_waves
from perfstudies.studies.aaa.findings_patterns import BORDERS, PATTERNS, POOL_FINDINGS, RESPONSE_FINDINGS


def wave(setting, block, client, number, rng, period=150):
    return 5 + np.sin(2 * np.pi * number / period) + rng.gamma(2, 0.3, len(number))


def held_back(setting, block, client, number, rng):
    """Return what total time must add to `wave` so that it stays the same."""
    return 20 - np.sin(2 * np.pi * number / 150) + rng.gamma(2, 0.1, len(number))


@pytest.fixture(scope="module")
def waves():
    return aaa_times.answered(made_aaa.standard(ejb_ms=wave, around_ms=held_back, blocks=3, requests=900))


@pytest.fixture(scope="module")
def plain():
    samples = aaa_times.answered(made_aaa.standard(blocks=3, requests=900))
    smooth = samples.groupby(["run", "client"])[list(aaa_times.MEASURES)].rolling(50).mean().droplevel([0, 1])
    return samples.join(smooth.add_suffix("_smooth"))


def test_the_period_is_found_in_every_machine_and_run(waves):
    found = patterns.by_client(waves)
    table = patterns.over_runs(found)
    assert table.index.tolist() == ["Azizlap", "Redlap", "Mac-G5b", "Mac-G5c"]
    assert table["Period, against red noise"].tolist() == [3] * 4
    assert table["Share"].map(lambda share: share.estimate).tolist() == [1] * 4
    each = patterns.each_run(found)
    assert len(each) == 12
    assert each["period"].median() == pytest.approx(150, abs=2)
    assert patterns.repeating(waves)["periodic"].all()
    assert patterns.named(waves, "A2")["periodic"].all()


def test_noise_has_no_pattern(plain):
    each = patterns.each_run(patterns.by_client(plain))
    repeating = patterns.repeating(plain)
    # The quick way decides as the long one does.
    assert repeating["periodic"].tolist() == each["periodic"].tolist()
    assert each["periodic"].mean() < 0.3 and patterns.named(plain, "A2")["periodic"].mean() < 0.3


def test_each_pattern_of_the_study_is_told_from_the_others():
    for name, period in PATTERNS.items():
        made = made_aaa.standard(
            ejb_ms=lambda *args, period=period: wave(*args, period=period), blocks=1, requests=1200, clients=2
        )
        samples = aaa_times.answered(made)
        shares = {other: patterns.named(samples, other)["periodic"].mean() for other in PATTERNS}
        assert shares[name] == 1
        assert all(share < 0.5 for other, share in shares.items() if other != name)
    low, high = zip(*(BORDERS[name] for name in sorted(PATTERNS, key=PATTERNS.get)), strict=True)
    assert low[1:] == pytest.approx(high[:-1])


def test_series_too_short_for_a_period_are_left_out(plain):
    short = plain[plain["number"] < 30]
    assert patterns.named(short, "A2").empty and patterns.repeating(short).empty
    assert patterns.over_runs(patterns.by_client(short)).empty and patterns.each_run({}).empty
    none = aaa_waves.correlogram(short)
    assert none.dropna().empty and none.index.names == ["lag", "run"]


def test_the_moving_average_of_a_wave_rises_once_a_period_and_of_noise_as_theory_has_it(waves, plain):
    table = aaa_waves.noise(waves, [50])
    assert table.loc[50, "Measured"].estimate == pytest.approx(150, abs=2)
    theory = table.loc[50, "Independent noise"]
    assert theory == pytest.approx(31.4, abs=0.1)
    for samples in (waves, plain):
        mixed = aaa_waves.noise(samples, [50]).loc[50, "In random order"]
        assert mixed.estimate == pytest.approx(theory, rel=0.25)


def test_autocorrelation_is_high_a_period_apart(waves):
    drawn = aaa_waves.correlogram(waves).groupby("lag").mean()
    assert drawn.loc[150, "EJB time"] > 0.5 > -0.5 > drawn.loc[75, "EJB time"]
    assert drawn.index.min() == 1 and drawn.index.max() == 225


def test_where_a_run_becomes_steady_is_found():
    def slow_first(setting, block, client, number, rng):
        return 5 + 5 * (number < 60) + rng.gamma(2, 0.1, len(number))

    samples = aaa_times.answered(made_aaa.standard(ejb_ms=slow_first, blocks=2, requests=400))
    assert aaa_times.warm_up(samples)["start"].between(55, 65).all()


def test_a_run_that_drifts_has_no_steady_state_and_says_why():
    def drifts(setting, block, client, number, rng):
        return 5 + number / 50 + rng.gamma(2, 0.1, len(number))

    starts = aaa_times.warm_up(aaa_times.answered(made_aaa.standard(ejb_ms=drifts, blocks=1, requests=400)))
    assert starts["start"].isna().all()
    assert "EJB time" in starts["reason"].iloc[0]


@pytest.mark.parametrize(("requests", "start"), [(2000, 100), (900, 100), (180, 20), (8, 0)])
def test_the_start_is_cut_as_planned_or_by_a_ninth_of_a_shorter_run(requests, start):
    samples = aaa_times.answered(made_aaa.standard(blocks=1, requests=requests))
    assert aaa_times.start(samples) == start
    kept = aaa_times.after_start(samples)
    assert (kept.groupby("client")["number"].min() == start).all()
    assert len(kept) == len(samples) - start * samples.groupby(["run", "client"], observed=True).ngroups


def test_requests_that_were_not_answered_are_no_samples_and_do_not_shift_the_others():
    made = made_aaa.standard(blocks=1, requests=100)
    lost = made.samples["number"] == 50
    made.samples.loc[lost, ["outcome", "ejb_ms"]] = ["timed out", np.nan]
    samples = aaa_times.answered(made)
    assert len(samples) == 4 * 99
    one = next(iter(aaa_times.series(samples, aaa_times.EJB).values()))
    assert len(one) == 100 and np.isnan(one[50])


def test_a_chart_has_a_panel_a_machine_and_its_numbers_are_means_of_stretches(plain):
    panels = charts.by_machine(plain, charts.first_run(plain))
    figure = charts.chart(panels)
    assert [axes.get_title() for axes in figure.axes] == ["Azizlap", "Redlap", "Mac-G5b", "Mac-G5c"]
    numbers = charts.numbers(panels)
    assert len(numbers) == 20 and numbers.index[0] == "1–45"
    first = panels["Azizlap"]
    assert numbers.loc["1–45", ("Azizlap", "EJB time")] == pytest.approx(first["ejb_ms"][:45].mean())


def test_single_slow_requests_are_counted_and_not_drawn(plain):
    panels = charts.by_machine(plain, charts.first_run(plain))
    assert charts.beyond(panels) == "All requests lie on the axis."
    panels["Azizlap"].loc[7, "total_ms"] = 900.0
    assert charts.beyond(panels) == "1 of 3,600 requests lie above the axis; the slowest took 900.0 ms."
    assert charts.chart(panels).axes[0].get_ylim()[1] < 100


def test_without_a_run_there_is_no_chart():
    with pytest.raises(BadParameter, match="no run of this setting"):
        charts.chart({})


def test_the_window_fits_into_short_runs(plain):
    assert aaa_times.fitting(50, plain) == 50
    assert aaa_times.fitting(50, plain[plain["number"] < 200]) == 20
    assert aaa_times.fitting(50, plain[plain["number"] < 5]) == 2


def test_statements_are_the_text_s_own_and_name_their_figures():
    assert {"200", "30", "32"} <= set(" ".join(published.table_of([9]).frame["Value"]).split())
    with pytest.raises(BadParameter, match="figure 99"):
        published.table_of([99])
    assert "raises suddenly" in published.table_of([8]).to_text()


def test_findings_have_names_of_their_own_and_regions_that_can_be_missed():
    findings = (*RESPONSE_FINDINGS, *POOL_FINDINGS)
    assert len({one.id for one in findings}) == len(findings)
    assert all(np.isfinite(one.low) or np.isfinite(one.high) for one in findings)
    assert pd.Series([one.id.split("-")[0] for one in findings]).unique().tolist() == "A1 A2 A3 A4 A5 A6 A17".split()


def test_times_far_above_0_are_drawn_close_up_and_the_axis_says_so(plain):
    panels = charts.by_machine(plain, charts.first_run(plain))
    near = charts.chart(panels).axes[0]
    assert near.get_ylim()[0] == 0 and near.get_ylabel() == "Time (ms)"
    times = ["total_ms", "ejb_ms", "total_ms_smooth", "ejb_ms_smooth"]
    slow = {name: one.assign(**{time: one[time] + 400 for time in times}) for name, one in panels.items()}
    far = charts.chart(slow).axes[0]
    assert far.get_ylim()[0] > 400 and far.get_ylabel() == "Time (ms), not from 0"
