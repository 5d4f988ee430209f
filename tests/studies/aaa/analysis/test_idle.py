import numpy as np
import pandas as pd
import pytest

from made.aaa import made
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import idle

LABELS = dict(zip(idle.IDLE_CONNECTIONS.factors[0].levels, ("100 s", "300 s", "none"), strict=True))
PERIOD = {"100": 50, "300": 150, "0": 10**9}


def _recorded(blocks=4, requests=600):
    """Repository times with a peak of 20 ms for all clients every so many requests, and one client's own peaks."""
    recorded = made(aaa.IDLE_CONNECTIONS, blocks=blocks, requests=requests)
    samples = recorded.samples
    period = samples[idle.LEVEL].astype(str).map(PERIOD)
    rng = np.random.default_rng(1)
    db_ms = 0.3 + rng.exponential(0.05, len(samples))
    db_ms[(samples["number"] % period == period - 1).to_numpy()] += 20
    db_ms[((samples["client"] == 1) & (samples["number"] % 70 == 69)).to_numpy()] += 50
    return recorded.__class__(**{**recorded.__dict__, "samples": samples.assign(db_ms=db_ms)})


def test_what_all_clients_meet_is_found_and_what_one_meets_is_not():
    runs = idle.run_table(_recorded()).set_index([idle.LEVEL, "block"])
    assert runs.loc[("300", 0), "peaks_at"].tolist() == [149, 299, 449, 599]
    assert runs.loc[("100", 2), "requests"] == 50
    assert runs.loc[("0", 1), "peaks"] == 0
    assert runs.loc[("300", 0), "height_ms"] == pytest.approx(20, abs=1)


def test_what_a_peak_adds_to_ejb_time_is_told_in_ms_and_in_percent():
    recorded = _recorded(blocks=1)
    waits = recorded.samples["db_ms"].to_numpy()
    samples = recorded.samples.assign(ejb_ms=400.0 + np.where(waits > 10, waits, 0))
    runs = idle.run_table(recorded.__class__(**{**recorded.__dict__, "samples": samples})).set_index(idle.LEVEL)
    assert runs.loc["300", "ejb_more_ms"] == pytest.approx(20, abs=1)
    assert runs.loc["300", "ejb_more_percent"] == pytest.approx(5, abs=0.3)
    assert np.isnan(runs.loc["0", "ejb_more_ms"])


def test_what_a_peak_adds_is_said_only_where_there_are_peaks():
    recorded = _recorded(blocks=1)
    assert idle.added(recorded).startswith("it adds ") and "to about one request in 50, " in idle.added(recorded)
    runs = recorded.runs[recorded.runs[idle.LEVEL] == "0"]
    assert idle.added(recorded.__class__(**{**recorded.__dict__, "runs": runs})) == ""


def test_a_run_of_which_nothing_was_answered_has_no_peaks():
    recorded = _recorded(blocks=1)
    samples = recorded.samples[recorded.samples[idle.LEVEL] != "300"]
    runs = idle.run_table(recorded.__class__(**{**recorded.__dict__, "samples": samples})).set_index(idle.LEVEL)
    assert runs.loc["300", "peaks"] == 0 and runs.loc["100", "peaks"] == 12


def test_peaks_next_to_each_other_are_one_and_those_at_the_start_are_none():
    times = pd.Series(0.3 + 0.01 * np.sin(np.arange(300)))
    times[[2, 100, 101, 102, 200]] = 30
    assert idle.peaks(times).tolist() == [100, 200]


def test_peaks_keep_to_their_own_clock_and_to_no_other():
    runs = idle.run_table(_recorded(requests=1200)).groupby(idle.LEVEL, observed=True)
    keeps = runs[["keeps", "p"]].mean()
    assert keeps.loc["300"].tolist() == pytest.approx([1, 0], abs=0.01)
    # Three of them lie evenly in 300 s.
    assert keeps.loc["100", "keeps"] == pytest.approx(0, abs=0.1) and keeps.loc["100", "p"] > 0.5
    assert runs["keeps"].count()["0"] == 0


def test_peaks_are_apart_by_the_clock_and_what_all_wait_at_most_is_told_where_there_are_none():
    recorded = _recorded(blocks=1)
    samples = recorded.samples.assign(started_us=1.02 * recorded.samples["started_us"])
    runs = idle.run_table(recorded.__class__(**{**recorded.__dict__, "samples": samples})).set_index(idle.LEVEL)
    assert runs.loc["300", "requests"] == pytest.approx(153)
    assert runs.loc["300", "longest_ms"] > 20 > 1 > runs.loc["0", "longest_ms"]


def test_a_figure_of_each_level():
    drawn = idle.shown(_recorded(blocks=1), LABELS)
    assert drawn.columns.tolist() == ["100 s", "300 s", "none"]
    assert len(idle.chart(drawn).axes) == 3
