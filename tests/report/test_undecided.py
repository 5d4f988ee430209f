"""What runs do not decide, with the runs and hours that would."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.experiment import Finding
from perfstudies.report.undecided import undecided
from perfstudies.stats.power import runs_to_decide
from perfstudies.stats.verdicts import judge

RULES = [Finding("step", id, "T1", f"Claim {id}.", "A rule.", "2", 1.0, 2.0, "ms") for id in ("near", "far", "none")]
RUNS = pd.DataFrame({"block": [0, 0, 1, 1], "took_s": [1800.0, 1800.0, 5400.0, 5400.0]})


@pytest.fixture(scope="module")
def judged():
    rng = np.random.default_rng(1)
    return judge(RULES, {"near": rng.normal(2.05, 0.3, 10), "far": rng.normal(9, 0.1, 10), "none": []})


def test_what_would_decide_a_finding_is_told_with_the_hours_of_whole_blocks(judged):
    near, far, none = judged
    assert [one.outcome for one in judged] == ["inconclusive", "not reproduced", "inconclusive"]
    # Three tests in two directions each, of which one rejected: five that share what is left of the level.
    needed = runs_to_decide(near.mean, near.error, near.runs, 1.0, 2.0, level=0.05 / 5)
    shown = undecided(judged, RUNS).frame
    assert shown.index.tolist() == ["near", "none"]
    assert shown.loc["near", "Runs to decide"] == needed > 10
    assert shown.loc["near", "Hours here"] == pytest.approx(needed * 2)
    assert shown.loc["none", ["Runs to decide", "Hours here"]].isna().all()


def test_a_finding_may_rest_on_another_recording_and_runs_need_not_tell_their_time(judged):
    quick = RUNS.assign(took_s=RUNS["took_s"] / 10)
    shown = undecided(judged, RUNS, {"near": quick}).frame
    assert shown.loc["near", "Hours here"] == pytest.approx(shown.loc["near", "Runs to decide"] / 5)
    assert undecided(judged, RUNS[["block"]]).frame["Hours here"].isna().all()


def test_if_all_is_decided_it_says_so(judged):
    shown = undecided([judged[1]], RUNS).to_text()
    assert "every finding is decided" in shown and "far" not in shown
