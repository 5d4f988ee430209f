"""What is told of loads before they are analysed: levels by name, messages accounted for, and which of them failed."""

from dataclasses import replace

import numpy as np
import pytest

from made.esb import lists, recording, run_row
from perfstudies.studies.esb import declared as esb
from perfstudies.studies.esb.analysis import loads

NAMES = {"route": "Engine", "open_files": "Limit"}


def test_levels_stand_beside_their_printed_names_in_the_order_of_declaration():
    made = lists({"synapse": {50: 100.0}, "direct": {50: 100.0, 1000: 50.0}}, blocks=1)
    found = loads.named(made.runs, esb.THROUGHPUT, {"route": "Way", "connections": "Clients"})
    assert found["Way"].cat.categories.tolist() == ["Direct", "Synapse"]
    assert found["Clients"].cat.categories.tolist() == ["1,000", "50"]
    assert found[["route", "Way", "Clients"]].iloc[0].tolist() == ["synapse", "Synapse", "50"]


def test_messages_that_are_not_accounted_for_are_said():
    made = lists({"direct": {50: 100.0, 1000: 100.0}}, blocks=1)
    assert loads.accounted(made) == "Every one of 2,000 messages sent is accounted for, in each of 2 runs"
    made.runs.loc[0, "sent"] = 1001
    assert loads.accounted(made) == "In 1 of 2 runs not every message sent is accounted for"


def test_a_run_without_a_steady_state_is_said():
    made = lists({"direct": {50: 100.0, 1000: 100.0}}, blocks=1)
    assert "2 of 2 runs have a steady state" in loads.steady_text(made)
    made.runs.loc[0, "steady_from_s"] = np.nan
    assert "1 of 2 runs" in loads.steady_text(made) and "analysed whole" in loads.steady_text(made)


def test_runs_are_counted_by_level():
    made = lists({"direct": {50: 100.0, 1000: 100.0}, "synapse": {50: 100.0}}, blocks=2)
    frame = loads.runs_table(made, esb.THROUGHPUT, "route", "Way").frame
    assert frame["Runs"].to_dict() == {"Direct": 4, "Synapse": 2} and frame["Sent"].tolist() == [4000, 2000]
    made.runs.loc[made.runs["route"] == "synapse", "steady_from_s"] = np.nan
    least = loads.runs_table(made, esb.THROUGHPUT, "route", "Way").frame["Steady for (s), least"]
    assert least["Direct"] > 0 and np.isnan(least["Synapse"])


def test_failures_stand_with_their_share_over_runs_and_by_outcome():
    rows = [
        run_row(0, 0, {"route": "synapse", "open_files": "1024"}, 10, failed=700, ok=300),
        run_row(1, 1, {"route": "synapse", "open_files": "1024"}, 10, failed=900, ok=100),
        run_row(2, 0, {"route": "synapse", "open_files": "20000"}, 10),
    ]
    made = recording(esb.OPEN_FILES, rows, {"r0": "refused"})
    found = loads.failures(made, esb.OPEN_FILES, NAMES)
    assert found.index.tolist() == [("Synapse", "1,024 open files")]
    row = found.iloc[0]
    assert (row["Runs"], row["Sent"], row["Refused"], row["Reset"]) == (2, 2000, 700, 900)
    share = row["Failed (%)"]
    assert share.estimate == pytest.approx(80) and (share.low, share.high, share.n) == (0.0, 100.0, 2)


def test_where_nothing_failed_one_row_says_so():
    made = recording(esb.OPEN_FILES, [run_row(0, 0, {"route": "synapse", "open_files": "1024"}, 10)])
    found = loads.failures(made, esb.OPEN_FILES, NAMES)
    assert found.index.tolist() == ["All: none failed"] and found["Sent"].tolist() == [1000]
    none_sent = replace(made, runs=made.runs.assign(sent=0, ok=0))
    assert len(loads.failures(none_sent, esb.OPEN_FILES, NAMES)) == 1
