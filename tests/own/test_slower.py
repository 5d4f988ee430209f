"""A verdict on new runs against old ones: what is shown, what is not, and what would show it."""

import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.own.logs.observe import observe
from perfstudies.own.slower import NO_SLOWER, SLOWER, UNDECIDED, judge

JTL = "timeStamp,elapsed,label,success\n"


def log(folder, name, elapsed_ms, failed=0):
    """Write a log of requests that each took so long; the first ones of them failed."""
    folder.mkdir(exist_ok=True)
    rows = [f"{1_700_000_000_000 + at * 100},{elapsed_ms},get,{'false' if at < failed else 'true'}" for at in range(40)]
    (folder / name).write_text(JTL + "\n".join(rows) + "\n", encoding="utf-8")


def judged(tmp_path, old, new, margin=1.05, names=("run-{}.jtl", "run-{}.jtl")):
    """Judge runs that took so long each; those of the same names are pairs."""
    for side, times, name in zip(("old", "new"), (old, new), names, strict=True):
        for at, elapsed_ms in enumerate(times):
            log(tmp_path / side, name.format(at), elapsed_ms)
    return judge(observe({side: tmp_path / side for side in ("old", "new")}), margin)


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ([101, 100, 102, 101], NO_SLOWER),
        ([103, 103, 103, 103], NO_SLOWER),  # slower, but by less than the margin
        ([80, 81, 79, 80], NO_SLOWER),
        ([110, 112, 111, 109], SLOWER),
        ([106, 103, 107, 104], UNDECIDED),
    ],
)
def test_a_ratio_is_judged_against_the_margin_not_against_one(tmp_path, new, verdict):
    assert judged(tmp_path, [100, 101, 99, 100], new).verdict == verdict


def test_runs_of_other_names_are_compared_by_welch_s_test(tmp_path):
    old, new = [100, 120, 90, 105, 98], [104, 101, 103]
    found = judged(tmp_path, old, new, names=("a-{}.jtl", "b-{}.jtl"))
    assert not found.paired
    test = stats.ttest_ind(np.log(new), np.log(old) + np.log(1.05), equal_var=False, alternative="less")
    assert (found.verdict == NO_SLOWER) == (test.pvalue <= 0.05)
    both = stats.ttest_ind(np.log(new), np.log(old), equal_var=False).confidence_interval(0.9)
    assert [found.ratio.low, found.ratio.high] == pytest.approx(np.exp([both.low, both.high]))
    assert found.sides["runs"].tolist() == [5, 3]


def test_the_number_of_runs_that_would_decide_does_so_in_most_trials(tmp_path):
    old, new = [100, 112, 95, 104, 90], [101, 108, 99, 97, 100]
    found = judged(tmp_path, old, new)
    assert found.verdict == UNDECIDED and 5 < found.runs_needed < 200
    differences = np.log(new) - np.log(old)
    rng = np.random.default_rng(1)
    drawn = rng.normal(differences.mean(), differences.std(ddof=1), (2000, int(found.runs_needed)))
    decided = stats.ttest_1samp(drawn, np.log(1.05), axis=1, alternative="less").pvalue <= 0.05
    assert 0.87 < decided.mean() < 0.96


def test_of_unequal_sides_the_number_is_one_of_both(tmp_path):
    old, new = [100, 112, 95, 104, 90] * 4, [101, 108, 97]
    found = judged(tmp_path, old, new, names=("a-{}.jtl", "b-{}.jtl"))
    rng, runs = np.random.default_rng(1), int(found.runs_needed)
    below, above = (rng.normal(np.log(one).mean(), np.log(one).std(ddof=1), (4000, runs)) for one in (old, new))
    tested = stats.ttest_ind(above, below + np.log(1.05), axis=1, equal_var=False, alternative="less")
    assert 0.87 < (tested.pvalue <= 0.05).mean() < 0.94


def test_one_run_of_a_side_decides_nothing(tmp_path):
    found = judged(tmp_path, [100], [300])
    assert (found.verdict, found.ratio.estimate) == (UNDECIDED, pytest.approx(3))
    assert np.isnan([found.ratio.low, found.ratio.high, found.runs_needed]).all()


def test_errors_are_counted_and_have_no_times(tmp_path):
    for side, failed in (("old", 0), ("new", 10)):
        for at in range(5):
            log(tmp_path / side, f"run-{at}.jtl", 100 + at, failed)
    found = judge(observe({side: tmp_path / side for side in ("old", "new")}))
    assert found.sides[["requests", "errors"]].to_numpy().tolist() == [[200, 0], [200, 50]]
    assert found.verdict == NO_SLOWER


def test_a_side_that_answered_nothing_cannot_be_compared(tmp_path):
    log(tmp_path / "old", "run-0.jtl", 100)
    log(tmp_path / "new", "run-0.jtl", 100, failed=40)
    with pytest.raises(BadParameter, match="no request of the new runs was answered"):
        judge(observe({side: tmp_path / side for side in ("old", "new")}))
