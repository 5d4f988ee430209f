import pandas as pd
import pytest

from made.recordings import heap_limits
from perfstudies.stats.verdicts import judge
from perfstudies.studies.step.analysis import heap as step_heap
from perfstudies.studies.step.declared import HEAPS
from perfstudies.studies.step.findings import SIZE_FINDINGS


@pytest.fixture(scope="module")
def bounded():
    return heap_limits({"48": 60_000, "96": 150_000}, blocks=9)


@pytest.fixture(scope="module")
def found(bounded):
    return step_heap.brackets(bounded)


@pytest.mark.parametrize(
    "outcome, detail, words",
    [
        ("ok", "", ""),
        ("system error", "the service is not available: java.lang.OutOfMemoryError", "fault, OutOfMemoryError"),
        ("system error", "Java heap space", "fault"),
        ("transport error", "ReadTimeout: HTTPConnectionPool: Read timed out.", "hung: no answer in time"),
        ("transport error", "TransportError: Server returned HTTP status 500 (no content available)", "HTTP 500"),
        ("transport error", "ConnectionError: Remote end closed connection", "no answer, ConnectionError"),
    ],
)
def test_a_failure_is_named_by_what_its_client_saw(outcome, detail, words):
    assert step_heap.failure(outcome, detail) == words


def test_each_run_brackets_its_limit(found):
    limits = found["heap"].map({48: 60_000, 96: 150_000})
    assert (found["succeeded"] <= limits).all() and (limits < found["failed"]).all()
    assert (found["failed"] / found["succeeded"]).tolist() == pytest.approx([1.5] * len(found), abs=0.001)
    assert found["failure"].unique().tolist() == ["hung: no answer in time"]


def test_limits_are_found_within_their_intervals(found, bounded):
    table = step_heap.threshold_table(found, bounded.samples)
    for heap, limit in (("48 MB", 60_000), ("96 MB", 150_000)):
        low, high = table.loc[heap, "Limit, 95 % interval"].split("[")[1].rstrip("]").replace(", ", " ").split()
        assert float(low.replace(",", "")) < limit < float(high.replace(",", ""))
        assert table.loc[heap, "Largest that ever succeeded"] <= limit < table.loc[heap, "Smallest that ever failed"]


def test_the_chart_goes_from_none_to_all(found, bounded):
    chart = step_heap.by_length(found, bounded.calls)
    for heap, limit in (("48 MB", 60_000), ("96 MB", 150_000)):
        part = chart.loc[heap]
        assert (part.loc[part.index < limit / 1.01, "share"] == 0).all()
        assert part["share"].iloc[-1] == 100 and part["share"].is_monotonic_increasing
        assert (part["runs"] == 9).all() and part["failed"].sum() == 9
    figure = step_heap.outcome_figure(chart)
    assert figure.axes[0].get_xscale() == "log"
    assert "48 MB near 58,979; 96 MB near 151,906" in step_heap.describe(found)


def test_two_heaps_give_the_law(found):
    law = step_heap.law_table(found)["Value"]
    # Limits of 60,000 at 48 MB and 150,000 at 96: exponent log 2.5 / log 2 = 1.32, and 1,875 characters a MB.
    assert float(law["Exponent of the limit over the heap"].split()[0]) == pytest.approx(1.32, abs=0.1)
    assert float(law["Characters for each further MB"].split()[0].replace(",", "")) == pytest.approx(1875, rel=0.1)
    heap = law["Heap that fails at 150,000 characters, by a straight line (MB)"]
    assert float(heap.split()[0]) == pytest.approx(96, rel=0.1)


def test_one_heap_gives_no_law():
    law = step_heap.law_table(step_heap.brackets(heap_limits({"48": 60_000})))["Value"]
    assert law.tolist() == ["–"]


def test_outcomes_and_recovery_are_counted(bounded):
    calls = bounded.calls.copy()
    broken = (calls["run"] == "b0-48") & (calls["phase"] == "recovery") & (calls["group"] == 100)
    calls.loc[broken, "outcome"] = "system error"
    calls.loc[(calls["run"] == "b2-48") & (calls["phase"] == "later"), "outcome"] = "system error"
    calls = calls[~((calls["run"] == "b1-48") & (calls["phase"] != "ramp"))]  # it died: nothing was asked
    runs = bounded.runs.assign(alive=bounded.runs["run"] != "b1-48", oom=bounded.runs["run"] != "b0-96")
    found = step_heap.brackets(type(bounded)(**{**vars(bounded), "calls": calls, "runs": runs}))
    recovered = step_heap.recovery_table(found)
    assert recovered.loc["48 MB", "A search"].startswith("100 [")
    assert recovered.loc["48 MB", "The largest group again"].startswith("88 [")  # 7 of 8
    assert recovered.loc["48 MB", "A search, after these"].startswith("88 [")
    assert recovered.loc["48 MB", "Process alive"].startswith("89 [")
    assert recovered.loc["96 MB", "The largest group again"].startswith("100 [")
    counts = step_heap.failures_table(found)
    assert counts.loc["96 MB", "OutOfMemoryError in the server's log"] == 8
    assert counts["hung: no answer in time"].tolist() == [9, 9]


def test_each_heap_has_its_finding():
    ids = {finding.id for finding in SIZE_FINDINGS}
    assert {f"S13-{heap}" for heap in HEAPS.levels} <= ids


def test_findings_follow_the_limits(found):
    outcomes = {v.finding.id: v.outcome for v in judge(step_heap.cases(found))}
    assert outcomes == {"S13-memory": "reproduced", "S13-48": "not reproduced", "S13-96": "reproduced"}


def test_without_a_failure_findings_stay_open_and_tables_stand(bounded):
    calls = bounded.calls.assign(outcome="ok")
    runs = bounded.runs.assign(oom=False)
    found = step_heap.brackets(type(bounded)(**{**vars(bounded), "calls": calls, "runs": runs}))
    assert {v.outcome for v in judge(step_heap.cases(found))} == {"inconclusive"}
    assert step_heap.threshold_table(found, bounded.samples)["Runs without a limit"].tolist() == [9, 9]
    assert (step_heap.by_length(found, calls)["share"] == 0).all()
    assert "at no length that was sent" in step_heap.describe(found)
    assert isinstance(step_heap.law_table(found), pd.DataFrame)
    assert step_heap.failures_table(found)["nothing failed"].tolist() == [9, 9]
    assert isinstance(step_heap.recovery_table(found), pd.DataFrame)


def test_one_ramp_a_heap_gives_every_table_without_intervals():
    bounded = heap_limits({"48": 60_000, "96": 150_000}, blocks=1)
    found = step_heap.brackets(bounded)
    chart = step_heap.by_length(found, bounded.calls)
    assert step_heap.outcome_figure(chart).axes
    assert step_heap.threshold_table(found, bounded.samples)["Runs"].tolist() == [1, 1]
    assert step_heap.law_table(found)["Value"].str.len().gt(0).all()
    assert step_heap.recovery_table(found)["Runs"].tolist() == [1, 1]
    assert {v.outcome for v in judge(step_heap.cases(found))} == {"inconclusive"}
