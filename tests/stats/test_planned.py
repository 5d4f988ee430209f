import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.intervals import ratio_interval
from perfstudies.stats.planned import planned_ratios

BELOW = np.array([100.0, 110.0, 95.0, 103.0, 99.0])
ABOVE = np.array([121.0, 127.0, 118.0, 119.0, 125.0])


def test_one_pair_is_an_ordinary_ratio():
    (row,) = planned_ratios({"a": (ABOVE, BELOW)}).itertuples()
    expected = ratio_interval(ABOVE, BELOW)
    assert (row.ratio, row.low, row.high) == pytest.approx((expected.estimate, expected.low, expected.high))
    assert row.p == pytest.approx(stats.ttest_rel(np.log(ABOVE), np.log(BELOW)).pvalue)
    assert row.blocks == 5


def test_several_pairs_share_the_error():
    found = planned_ratios({"a": (ABOVE, BELOW), "b": (BELOW, ABOVE), "c": (BELOW[:3], BELOW[[1, 2, 0]])})
    alone = ratio_interval(ABOVE, BELOW, 1 - 0.05 / 3)
    assert found.loc["a", ["low", "high"]].tolist() == pytest.approx([alone.low, alone.high])
    assert found.loc["a", "p"] == pytest.approx(3 * stats.ttest_rel(np.log(ABOVE), np.log(BELOW)).pvalue)
    assert found.loc["b", "ratio"] == pytest.approx(1 / found.loc["a", "ratio"])
    assert found.loc["c", "p"] == 1.0


def test_interval_and_p_agree():
    rng = np.random.default_rng(7)
    for _ in range(200):
        values = {name: np.exp(rng.normal(0.05, 0.1, (2, 8))) for name in "abc"}
        found = planned_ratios({name: tuple(pair) for name, pair in values.items()})
        outside = (found["low"] > 1) | (found["high"] < 1)
        assert (outside == (found["p"] < 0.05)).all()


def test_all_intervals_together_hold_the_truth_often_enough():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(500):
        pairs = {at: tuple(np.exp(rng.normal(0, 0.1, (2, 6)))) for at in range(6)}
        found = planned_ratios(pairs)
        held += ((found["low"] <= 1) & (found["high"] >= 1)).all()
    assert 0.93 <= held / 500 <= 0.985


def test_a_single_block_and_ratios_without_spread():
    found = planned_ratios({"one": ([2.0], [1.0]), "same": ([2.0, 4.0], [1.0, 2.0]), "equal": ([1.0, 3.0], [1.0, 3.0])})
    assert np.isnan(found.loc["one", ["low", "high", "p"]].astype(float)).all()
    assert found.loc["same", ["ratio", "low", "high", "p"]].tolist() == pytest.approx([2, 2, 2, 0])
    assert found.loc["equal", "p"] == 1.0


def test_no_pairs_are_an_empty_table_and_unpaired_values_are_refused():
    assert planned_ratios({}).empty
    with pytest.raises(BadParameter, match="equal lengths"):
        planned_ratios({"a": (ABOVE, BELOW[:4])})
