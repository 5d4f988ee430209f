"""STEP's notebooks where a run brought nothing: a server that failed from its first request on."""

from dataclasses import replace

import pandas as pd
import pytest

from made.cells import run_cells
from perfstudies import data
from perfstudies.report.answer import UNDECIDED
from perfstudies.stats import warmup
from perfstudies.stats.verdicts import apart
from perfstudies.studies.step.findings_monitors import MONITOR_FINDINGS
from perfstudies.studies.step.logs.slices import SLICE_LABELS

JUDGING = (
    "01-time-breakdown", "03-request-types", "04-message-size", "05-caches-and-networks", "06-concurrent-users",
    "07-logging-cost",
)  # fmt: skip


_load, _kept = data.load, {}


def whole(experiment, *how):
    """Read recorded runs once for all of these tests: each takes parts of them, and changes nothing in them."""
    key = experiment.key, repr(experiment.factors)
    if key not in _kept:
        _kept[key] = _load(experiment, *how)
    return _kept[key]


@pytest.fixture(autouse=True, scope="module")
def steady_states():
    """Look for the steady state of each run once for all of these tests."""
    find, found = warmup.steady_state, {}

    def once(*columns):
        key = tuple(map(tuple, columns))
        if key not in found:
            found[key] = find(*columns)
        return found[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(warmup, "steady_state", once)
        yield


@pytest.mark.parametrize("name", JUDGING)
def test_a_run_without_any_request_costs_the_report_nothing(repository, monkeypatch, name):
    def without_one(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        runs = recorded.runs[recorded.runs["block"] < 5]
        first = runs["run"].iloc[0]
        kept = {
            part: frame[frame["run"].isin(runs["run"]) & (frame["run"] != first)].reset_index(drop=True)
            for part in ("samples", "calls")
            for frame in [getattr(recorded, part)]
        }
        return replace(recorded, runs=runs.reset_index(drop=True), **kept)

    names, _ = run_cells(repository / "notebooks" / "step" / f"{name}.ipynb", monkeypatch, without_one)
    assert names["in_short"]


def test_a_run_of_which_one_request_is_left_is_compared_on_that(repository, monkeypatch):
    only = []

    def with_one_request(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        if "log.level" not in recorded.runs:
            return recorded
        calls = recorded.calls
        of_one = calls["block"] == 0
        for name, level in {"generation": "2009", "database": "mariadb", "log.level": "off"}.items():
            of_one &= calls[name].astype(str) == level
        cut = of_one & calls["measured"]
        kept = calls.index[cut][0]
        only.append(calls.loc[kept, "elapsed_ms"])
        return replace(recorded, calls=calls[~cut | (calls.index == kept)])

    names, _ = run_cells(repository / "notebooks" / "step" / "07-logging-cost.ipynb", monkeypatch, with_one_request)
    pairs = names["pairs"]["info"].loc["2009", "mariadb"]
    assert len(pairs) == 30 and [pairs.loc[0, "off"]] == only


@pytest.mark.parametrize("name", JUDGING)
@pytest.mark.parametrize(
    ("factor", "level", "said"),
    [
        ("database", "mariadb", "In short. There are no runs on MariaDB: all is judged on H2"),
        ("generation", "2009", "In short. There are no runs on the libraries of 2009: all is judged on today's."),
        ("generation", "today", "In short. With the libraries of 2009 and MariaDB, "),
    ],
)
def test_what_is_missing_is_stood_in_for_and_the_first_line_says_so(repository, monkeypatch, name, factor, level, said):
    def without(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        runs = recorded.runs[recorded.runs["block"] < 3]
        varied = {one.name for one in experiment.factors}
        if factor == "database" and factor not in varied:
            # As a machine without MariaDB measures: what is near the database, on H2.
            runs = (runs[runs["link"].astype(str) == "local"] if "link" in runs else runs).assign(database="h2")
        elif factor in varied:
            runs = runs[runs[factor].astype(str) != level].astype({factor: str})
        kept = {
            part: frame[frame["run"].isin(runs["run"])].reset_index(drop=True)
            for part in ("samples", "calls")
            for frame in [getattr(recorded, part)]
        }
        return replace(recorded, runs=runs, **kept)

    names, shown = run_cells(repository / "notebooks" / "step" / f"{name}.ipynb", monkeypatch, without)
    assert any(text.replace(f"{UNDECIDED} ", "", 1).startswith(said) for text in shown)
    assert names["on"].has_both == (factor == "database")


@pytest.mark.parametrize("name", JUDGING)
@pytest.mark.parametrize("profile", ["quick", "smoke"])
def test_as_few_settings_blocks_and_sessions_as_a_short_profile_measures_come_out_too(
    repository, monkeypatch, name, profile
):
    def short(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        if profile not in experiment.sizes:
            return recorded
        size, runs, calls = experiment.size(profile), recorded.runs, recorded.calls
        names = [factor.name for factor in experiment.factors]
        settings = {run.run: dict(zip(names, run[1:], strict=True)) for run in runs[["run", *names]].itertuples(False)}
        taken = {run for run, setting in settings.items() if setting in experiment.settings(profile)}
        runs = runs[runs["run"].isin(taken) & (runs["block"] < size.blocks)]
        session = calls["session"] - calls["session"].where(calls["measured"]).groupby(calls["run"]).transform("min")
        last = calls["run"].map({run: size.sessions_of(setting) for run, setting in settings.items()})
        calls = calls[calls["run"].isin(runs["run"]) & ((session < last) | ~calls["measured"])].reset_index(drop=True)
        samples = recorded.samples
        if len(samples):
            samples = samples.merge(calls[["run", "request"]], on=["run", "request"])
        return replace(recorded, runs=runs.reset_index(drop=True), calls=calls, samples=samples)

    names, shown = run_cells(repository / "notebooks" / "step" / f"{name}.ipynb", monkeypatch, short)
    assert names["in_short"] and any(text.startswith("In short. ") for text in shown)


@pytest.mark.parametrize("of_square", [0, 1e-7])
def test_a_fixed_cost_does_not_bend_growth_in_proportion_and_a_square_does(repository, monkeypatch, of_square):
    def costing(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        runs = recorded.runs[recorded.runs["block"] < 3].reset_index(drop=True)
        samples, calls = (one[one["run"].isin(runs["run"])] for one in (recorded.samples, recorded.calls))
        length = samples["request_length"] + samples["response_length"]
        if experiment.name in ("message-size", "whole-loads"):
            samples = samples.assign(request_ms=100 + 0.01 * length + of_square * length**2)
        if experiment.name in ("message-size", "whole-loads", "sizes-again", "sizes-alone"):
            # XML alone costs nearly the same however long a message is.
            samples = samples.assign(
                **{one: 10 + length / 1e5 if name == "Web Service" else length for one, name in SLICE_LABELS.items()}
            )
        return replace(recorded, runs=runs, samples=samples, calls=calls)

    names, _ = run_cells(repository / "notebooks" / "step" / "04-message-size.ipynb", monkeypatch, costing)
    falls = names["xml_falls"].groupby("Runs").max()
    kinds = {"as above", "sizes-again", "sizes-alone", "50 sessions", "their first sessions"}
    assert set(falls.index) == kinds and falls.max() < 0.2
    part = ("Over loads", "Whole request")
    bends = pd.concat([names["bend"][part], names["whole_bend"][part]])
    outcome = {one.finding.id: one.outcome for one in names["judged"]}
    if of_square:
        assert (bends > 1.5).all()
    else:
        assert bends.to_numpy() == pytest.approx(1)
        assert names["whole_growth"][part].max() < 0.99 and outcome["S10"] != "not reproduced"


def test_what_the_cache_holds_decides_and_so_is_not_tested(repository, monkeypatch):
    def read(experiment):
        return whole(experiment, "reference", "quick", 1)

    names, shown = run_cells(repository / "notebooks" / "step" / "05-caches-and-networks.ipynb", monkeypatch, read)
    outcome = {one.finding.id: one.outcome for one in names["judged"]}
    assert outcome["S14-read-write"] == outcome["S16-advice"] == "not testable"
    (said,) = {text for text in shown if text.startswith("In short. ")}
    for one in (names["with_collections"], names["objects_alone"]):
        assert f"{one['local']:.2f}" in said and f"{one['10mbit']:.3f}" in said
    assert names["with_collections"]["local"].high < 1 < names["objects_alone"]["local"].low
    assert "read-write" not in names["logs"].columns.unique("cache")


def test_an_unwrapped_engine_is_judged_and_what_is_counted_once_is_set_apart():
    of = {one.id: one for one in MONITOR_FINDINGS}
    assert of["S7"].kind == "size" and not of["S7"].untestable
    assert apart(of["S4-union"]) and apart(of["S4-service"]) and not apart(of["S4"])
