"""The cells of the notebooks on response times and pools, run on made recordings of all sizes that profiles have."""

import numpy as np
import pytest

from made import aaa as made_aaa
from made.cells import run_cells
from perfstudies.studies.aaa.base import NEAR_PACE

PROFILES = {"smoke": (1, 20), "quick": (2, 120), "more": (3, 820)}
"""Blocks and requests of a client."""


def run(repository, name, monkeypatch, blocks, requests, scale=10, start_scale=NEAR_PACE, **more):
    """Run a notebook's cells; scales: of pools, unit-lengths and bean-start; `more` goes to `made`, by experiment."""
    scales = {"own-gap": 1, "pools": scale, "unit-lengths": scale, "bean-start": start_scale}

    def load(experiment):
        own = experiment.name == "own-gap"
        return made_aaa.made(
            experiment,
            blocks=min(blocks, 2) if own else blocks,
            requests=requests,
            scale=scales.get(experiment.name, 100),
            **more.get(experiment.name, {}),
        )

    return run_cells(repository / "notebooks" / "aaa" / name, monkeypatch, load)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["01-response-times.ipynb", "02-pools.ipynb"])
def test_every_cell_runs_at_every_size(repository, monkeypatch, name, profile):
    blocks, requests = PROFILES[profile]
    _, shown = run(repository, name, monkeypatch, blocks, requests)
    assert len(shown) > 15
    assert all(text.strip() for text in shown)
    assert not any("nan" in text.lower().split() for text in shown)
    short = name.startswith("01") and profile != "more"
    assert any("too short to hold a period of 150" in text for text in shown) is short


@pytest.mark.parametrize("name", ["01-response-times.ipynb", "02-pools.ipynb"])
def test_a_run_in_which_hardly_anything_was_answered_costs_the_report_nothing(repository, monkeypatch, name):
    whole = made_aaa.made

    def overloaded(*given, **parts):
        recorded = whole(*given, **parts)
        client, number = recorded.samples["client"], recorded.samples["number"]
        answered = ((client == 0) & (number < 1)) | ((client == 1) & (number < 3))
        lost = (recorded.samples["run"] == recorded.runs["run"].iloc[0]) & ~answered
        recorded.samples.loc[lost, ["ejb_ms", "outcome", "detail"]] = [np.nan, "timed out", "timed out"]
        return recorded

    monkeypatch.setattr(made_aaa, "made", overloaded)
    _, shown = run(repository, name, monkeypatch, 2, 120)
    assert len(shown) > 15


def peak(ejb_ms, high):
    """Make the chosen requests half as long again, with the wait that `made` adds at bean-start's scale."""
    wait_ms = 400 / NEAR_PACE - 400 / made_aaa.SCALE
    return (ejb_ms + wait_ms) * np.where(high, 1.5, 1) - wait_ms


def _verdicts(names):
    return {one.finding.id: one for one in names["judged"]}


def test_times_without_pattern_give_no_period_and_follow_ejb_time(repository, monkeypatch):
    names, _ = run(repository, "01-response-times.ipynb", monkeypatch, 6, 820)
    found = _verdicts(names)
    assert found["A1-stable"].outcome == found["A1-moves"].outcome == "not testable"
    assert found["A1-stable"].estimate < found["A1-stable"].finding.high
    assert found["A1-moves"].estimate < found["A1-moves"].finding.low
    assert {found[f"A1-{name}"].outcome for name in ("follows", "correlation")} == {"not reproduced"}
    assert found["A2-pattern"].outcome == "not reproduced" and found["A2-period"].estimate < 20
    assert found["A1-follows"].estimate == pytest.approx(1, abs=0.05)
    # Requests in random order range as far as these, which have no pattern.
    ranges = names["ranges"].groupby("Requests").mean() - 1
    mixed, ordered = (ranges.loc[name] for name in ("Without the start, in random order", "Without the start"))
    assert mixed.tolist() == pytest.approx(ordered.tolist(), rel=0.3)


def test_how_stable_times_are_is_not_judged_far_from_the_pace_of_the_study(repository, monkeypatch):
    of_pools = ("A3-stable", "A5-constant", "A6-peak", "A6-sessions")
    for name, ids in (
        ("01-response-times", ("A1-stable", "A1-moves", "A1-drawn", "A1-drawn-stable")),
        ("02-pools", of_pools),
    ):
        for scale, judged in ((10, True), (11, False)):
            names, shown = run(repository, f"{name}.ipynb", monkeypatch, 6, 120, scale=scale, start_scale=scale)
            found = _verdicts(names)
            assert {found[id].runs > 0 for id in ids} == {judged}
            if name == "02-pools":
                assert (found["A6-sessions"].outcome == "inconclusive") is not judged
            assert any("cannot be told" in text for text in shown) is not judged


def test_total_time_that_is_held_back_against_a_pattern_is_what_the_study_saw(repository, monkeypatch):
    def wave(setting, block, client, number, rng):
        return 5 + 8 * (np.sin(2 * np.pi * number / 150) + rng.gamma(2, 0.3, len(number)))

    def held_back(setting, block, client, number, rng):
        return 20 - 8 * (np.sin(2 * np.pi * number / 150) - rng.gamma(2, 0.1, len(number)))

    pools = {"ejb_ms": wave, "around_ms": held_back}
    names, _ = run(repository, "01-response-times.ipynb", monkeypatch, 4, 900, pools=pools)
    found = _verdicts(names)
    assert found["A2-pattern"].estimate > 90 and found["A2-period"].estimate == 100
    assert found["A1-moves"].estimate > found["A1-moves"].finding.low
    assert found["A1-stable"].estimate < found["A1-stable"].finding.high
    # Only the pattern is held back, so what EJB time varies beside it still shows in total time.
    assert found["A1-follows"].estimate == pytest.approx(0.18 / 0.68, abs=0.05)


def test_time_units_drawn_anew_move_ejb_time_and_total_time_with_it(repository, monkeypatch):
    def drawn(setting, block, client, number, rng):
        fixed = made_aaa.flat(setting, block, client, number, rng)
        return fixed + (rng.exponential(40, len(number)) - 40 if setting["timer.random"] == "true" else 0)

    units = {"unit-lengths": {"ejb_ms": drawn}}
    names, shown = run(repository, "01-response-times.ipynb", monkeypatch, 5, 900, **units)
    found = _verdicts(names)
    assert found["A1-drawn"].outcome == "reproduced" and found["A1-drawn-stable"].outcome == "not reproduced"
    assert names["unit_slope"]["true"].to_numpy() == pytest.approx(1, abs=0.01)
    # The means of 50 exponential waits differ by 14 %, so that four standard deviations are a factor of 1.7.
    assert found["A1-drawn"].estimate == pytest.approx(1.7, abs=0.2)
    assert names["unit_range"].loc["false", "EJB time"].max() < 1.02
    assert any("whose time units are drawn anew" in text for text in shown)


def test_threads_that_matter_more_than_the_pool_and_a_cold_peak_that_beans_do_not_make(repository, monkeypatch):
    def slower(setting, *args):
        return made_aaa.flat(setting, *args) * (1.5 if setting["http.threads"] == "1000" else 1)

    def cold_peak(setting, block, client, number, rng):
        high = (number < 30) & (setting["start"] == "cold")
        return peak(made_aaa.flat(setting, block, client, number, rng), high)

    names, _ = run(
        repository, "02-pools.ipynb", monkeypatch, 10, 60, scale=100,
        **{"pools": {"ejb_ms": slower}, "bean-start": {"ejb_ms": cold_peak, "beans": lambda s: 3}},
    )  # fmt: skip
    found = _verdicts(names)
    outcomes = {name: verdict.outcome for name, verdict in found.items()}
    assert outcomes["A5-threads"] == outcomes["A5-pool"] == "reproduced"
    assert found["A6-peak"].low > found["A6-peak"].finding.low
    assert found["A3-peak"].estimate < found["A3-peak"].finding.low
    assert found["A5-threads"].estimate == pytest.approx(1.5, rel=0.01)
    assert outcomes["A6-sessions"] == outcomes["A6-count"] == "not reproduced"
    assert outcomes["A17-ejb"] == outcomes["A17-total"] == outcomes["A17-failures"] == "reproduced"
    ratios = names["ratios"].xs("EJB time", axis=1, level=1).mean()
    assert ratios["HTTP threads, 1000 / 100"] == pytest.approx(1.5, rel=0.01)
    assert ratios["EJB pool, 64 / 32"] == pytest.approx(1, rel=0.01)
    assert ratios["Interaction"] == pytest.approx(1, rel=0.02)


def test_a_gap_and_beans_that_matter_are_seen_and_threads_that_do_not_are_not(repository, monkeypatch):
    def longer(setting, *args):
        return made_aaa.flat(setting, *args) * (1.5 if setting["gap_ms"] == "1000" else 1)

    def bean_peak(setting, block, client, number, rng):
        high = (number < 30) & (setting["start"] != "steady")
        return peak(made_aaa.flat(setting, block, client, number, rng), high)

    names, _ = run(
        repository, "02-pools.ipynb", monkeypatch, 10, 60,
        **{"gaps": {"ejb_ms": longer}, "bean-start": {"ejb_ms": bean_peak, "beans": lambda s: 32}},
    )  # fmt: skip
    found = _verdicts(names)
    outcomes = {name: verdict.outcome for name, verdict in found.items()}
    assert found["A6-peak"].low > found["A6-peak"].finding.low
    assert outcomes["A17-ejb"] == outcomes["A5-threads"] == "not reproduced"
    assert outcomes["A5-pool"] == outcomes["A6-sessions"] == outcomes["A6-count"] == "reproduced"
