import numpy as np
import pandas as pd
import pytest

from made.aaa import made
from perfstudies.stats import verdicts
from perfstudies.studies.aaa import declared as aaa
from perfstudies.studies.aaa.analysis import idle
from perfstudies.studies.aaa.findings_patterns import RESPONSE_FINDINGS

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


def test_peaks_next_to_each_other_are_one_and_those_at_the_start_are_none():
    times = pd.Series(0.3 + 0.01 * np.sin(np.arange(300)))
    times[[2, 100, 101, 102, 200]] = 30
    assert idle.peaks(times).tolist() == [100, 200]


def test_the_table_says_what_to_expect_and_which_clock_the_peaks_keep_to():
    shown = idle.table(idle.run_table(_recorded(requests=1200)), LABELS)
    assert shown["Expected (requests)"].tolist()[:2] == [50.0, 150.0]
    assert shown.loc["300 s", "Between two peaks (requests)"].startswith("150.0")
    assert shown.loc["300 s", "Keeps to 300 s"] == "1.00, 4 of 4 runs"
    assert shown.loc["100 s", "Keeps to 300 s"].endswith("0 of 4 runs")
    assert shown.loc["none", "Peaks a run"].startswith("0.0")


def test_a_pattern_that_follows_the_time_out_is_reproduced():
    values = idle.cases(idle.run_table(_recorded()))
    own = [finding for finding in RESPONSE_FINDINGS if finding.id in values]
    judged = verdicts.judge((finding, *values[finding.id]) for finding in own)
    assert {one.finding.id: one.outcome for one in judged} == dict.fromkeys(
        ("A2-idle", "A2-follows", "A2-without"), verdicts.REPRODUCED
    )


def test_a_figure_and_its_words_for_each_level():
    recorded = _recorded(blocks=1)
    runs = idle.run_table(recorded)
    drawn = idle.shown(recorded, LABELS)
    assert len(idle.chart(drawn).axes) == 3
    assert "300 s: peaks every 150 requests" in idle.describe(runs, LABELS)
    assert "none: no peaks" in idle.describe(runs, LABELS)
    assert idle.numbers(runs, LABELS).loc["100 s", "Peaks at request"].startswith("49, 99, 149")
