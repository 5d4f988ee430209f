"""Intervals against printed quantiles, hand computation and their own invariants."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from perfstudies.errors import BadParameter
from perfstudies.stats.interval import ends
from perfstudies.stats.intervals import (
    count_interval,
    difference_interval,
    estimates,
    geometric_interval,
    mean_interval,
    percent_interval,
    ratio_interval,
    share_interval,
)

times = st.floats(min_value=0.01, max_value=1e6)
blocks = st.lists(st.tuples(times, times), min_size=2, max_size=20)


def bounds(interval):
    return [interval.estimate, interval.low, interval.high]


# Two-sided quantiles of Student's t as tables print them: (degrees of freedom, confidence) -> t.
PRINTED = {(4, 0.90): 2.132, (4, 0.95): 2.776, (4, 0.99): 4.604, (9, 0.95): 2.262, (29, 0.95): 2.045}


@pytest.mark.parametrize(("key", "quantile"), PRINTED.items())
def test_mean_interval_has_the_printed_quantile(key, quantile):
    freedom, confidence = key
    values = np.arange(freedom + 1.0)
    interval = mean_interval(values, confidence)
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert interval.estimate == values.mean()
    assert interval.high - interval.estimate == pytest.approx(quantile * error, rel=3e-4)
    assert interval.estimate - interval.low == pytest.approx(quantile * error, rel=3e-4)
    assert interval.n == freedom + 1


def test_mean_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(7)
    hits = sum(i.low <= 5 <= i.high for i in (mean_interval(rng.normal(5, 1, 4), 0.9) for _ in range(2000)))
    assert 0.9 * 2000 - 45 < hits < 0.9 * 2000 + 45  # 45 is over three standard errors


def test_ratio_is_the_geometric_mean_of_the_blocks_ratios():
    interval = ratio_interval([2, 8, 16], [1, 2, 8])
    assert interval.estimate == pytest.approx(16 ** (1 / 3))
    half = 4.3027 * np.std(np.log([2, 4, 2]), ddof=1) / np.sqrt(3)
    expected = [interval.estimate / np.exp(half), interval.estimate * np.exp(half)]
    assert bounds(interval)[1:] == pytest.approx(expected, rel=1e-4)


@settings(max_examples=60, deadline=None)
@given(blocks, st.floats(min_value=1e-3, max_value=1e3))
def test_ratio_does_not_depend_on_the_unit(pairs, factor):
    above, below = np.array(pairs).T
    before = bounds(ratio_interval(above, below))
    after = bounds(ratio_interval(above * factor, below * factor))
    assert after == pytest.approx(before, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(blocks)
def test_swapping_the_settings_inverts_the_ratio(pairs):
    above, below = np.array(pairs).T
    one = np.log(bounds(ratio_interval(above, below)))
    other = np.log(bounds(ratio_interval(below, above)))
    assert -other[[0, 2, 1]] == pytest.approx(one, rel=1e-6, abs=1e-9)


def test_share_is_cut_at_its_ends():
    interval = share_interval([0.0, 0.0, 0.3])
    assert interval.estimate == pytest.approx(0.1)
    assert interval.low == 0.0
    assert share_interval([1.0, 1.0, 0.7]).high == 1.0
    assert share_interval([0.5, 0.6, 0.7]).high == mean_interval([0.5, 0.6, 0.7]).high


def test_a_mean_of_counts_is_not_negative():
    interval = count_interval([0, 3])
    assert (interval.estimate, interval.low) == (1.5, 0.0) and interval.high == mean_interval([0, 3]).high
    with pytest.raises(BadParameter, match="-1"):
        count_interval([2, -1])


def test_per_cent_are_cut_at_their_ends():
    interval = percent_interval([0.0, 0.0, 30.0])
    assert (interval.estimate, interval.low, interval.n) == (pytest.approx(10.0), 0.0, 3)
    assert percent_interval([100.0, 100.0, 70.0]).high == 100.0
    with pytest.raises(BadParameter):
        percent_interval([101.0])


def test_estimates_of_columns_in_two_levels_keep_the_levels_names():
    columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)], names=["way", "clients"])
    found = estimates(pd.DataFrame([[1.0, 2.0], [3.0, 2.0]], columns=columns))
    assert found.index.names == ["way", "clients"]
    assert found.unstack("clients").loc["a", 1].estimate == 2.0


@pytest.mark.parametrize("interval", [mean_interval, share_interval])
def test_equal_values_give_a_point_without_warning(interval):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bounds(interval([0.3, 0.3, 0.3])) == [0.3, 0.3, 0.3]


def test_a_difference_of_unpaired_runs_is_welch_s():
    first, second = [3.1, 2.7, 3.6, 2.9], [1.0, 4.0, 2.0, 0.5, 6.0, 3.0]
    known = ttest_ind(first, second, equal_var=False).confidence_interval(0.9)
    assert bounds(difference_interval(first, second, 0.9)) == pytest.approx([3.075 - 2.75, known.low, known.high])
    assert bounds(difference_interval([3, 3], [1, 1, 1])) == [2, 2, 2]


def test_one_value_has_no_bounds():
    alone = mean_interval([2]), share_interval([0.2]), ratio_interval([2], [1]), difference_interval([2, 3], [1])
    for interval in alone:
        assert interval.n == 1 and np.isfinite(interval.estimate)
        assert np.isnan(interval.low) and np.isnan(interval.high)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_interval([]), "none"),
        (lambda: mean_interval([1, np.nan]), "number 1 of 2 is nan"),
        (lambda: mean_interval([1, 2], confidence=95), "confidence"),
        (lambda: ratio_interval([1, 2], [1]), "equal lengths"),
        (lambda: ratio_interval([1, 2], [1, 0]), "denominator: number 1"),
        (lambda: share_interval([70, 71]), "percentages"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(BadParameter, match=message):
        call()


def test_intervals_of_a_family_hold_the_truth_together_often_enough():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(500):
        ratios = pd.DataFrame({at: np.divide(*np.exp(rng.normal(0, 0.1, (2, 6)))) for at in range(6)})
        found = ends(estimates(ratios, geometric_interval, 1 - 0.05 / 6))
        held += ((found["low"] <= 1) & (found["high"] >= 1)).all()
    assert 0.93 <= held / 500 <= 0.985
