"""STEP's notebooks where a run brought nothing: a server that failed from its first request on."""

from dataclasses import replace

import pytest

from made.cells import run_cells
from perfstudies import data


@pytest.mark.parametrize(
    "name",
    [
        "01-time-breakdown", "03-request-types", "04-message-size", "05-caches-and-networks", "06-concurrent-users",
        "07-logging-cost",
    ],
)  # fmt: skip
def test_a_run_without_any_request_costs_the_report_nothing(repository, monkeypatch, name):
    whole = data.load

    def without_one(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        first = recorded.runs["run"].iloc[0]
        kept = {
            part: frame[frame["run"] != first] for part in ("samples", "calls") for frame in [getattr(recorded, part)]
        }
        return replace(recorded, **kept)

    names, _ = run_cells(repository / "notebooks" / "step" / f"{name}.ipynb", monkeypatch, without_one)
    assert names["in_short"]


def test_a_run_of_which_one_request_is_left_has_no_ratio_if_its_time_rounds_to_0(repository, monkeypatch):
    whole = data.load

    def with_one_request(experiment):
        recorded = whole(experiment, "reference", "quick", 1)
        info = recorded.runs[recorded.runs["log.level"].astype(str) == "off"] if "log.level" in recorded.runs else None
        if info is None:
            return recorded
        cut = recorded.samples["run"].isin(info["run"].iloc[:1]) & recorded.samples["measured"]
        first = recorded.samples[cut].index[:1]
        kept = recorded.samples[~cut | recorded.samples.index.isin(first)].copy()
        kept.loc[first, "request_ms"] = 0.0
        return replace(recorded, samples=kept)

    names, _ = run_cells(repository / "notebooks" / "step" / "07-logging-cost.ipynb", monkeypatch, with_one_request)
    assert names["in_short"]
