"""Equivalence tests against the formula by hand and their own invariants."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.equivalence import all_equivalent, equivalence

times = st.floats(min_value=0.1, max_value=1e4)
pairs = st.lists(st.tuples(times, times), min_size=2, max_size=15)

ABOVE = [101.0, 103.0, 99.0, 104.0, 100.5]
BELOW = [100.0, 101.0, 101.0, 100.0, 100.0]


def test_paired_by_hand():
    result = equivalence(ABOVE, BELOW, 1.05)
    difference = np.log(ABOVE) - np.log(BELOW)
    error = difference.std(ddof=1) / np.sqrt(5)
    margin = np.log(1.05)
    assert result.p_low == pytest.approx(stats.t.sf((difference.mean() + margin) / error, 4))
    assert result.p_high == pytest.approx(stats.t.cdf((difference.mean() - margin) / error, 4))
    assert result.p == max(result.p_low, result.p_high)
    half = 2.1318 * error  # t at 95 %, one-sided, 4 degrees of freedom
    expected = np.exp(difference.mean() + np.array([-half, half]))
    assert (result.ratio.low, result.ratio.high) == pytest.approx(tuple(expected), rel=1e-5)
    assert result.ratio.confidence == pytest.approx(0.9)
    assert result.equivalent and not equivalence(ABOVE, BELOW, 1.02).equivalent


def test_unpaired_is_welch_by_scipy():
    result = equivalence(ABOVE, [*BELOW, 120.0], 1.05, paired=False)
    above, below, margin = np.log(ABOVE), np.log([*BELOW, 120.0]), np.log(1.05)
    greater = stats.ttest_ind(above + margin, below, equal_var=False, alternative="greater")
    less = stats.ttest_ind(above - margin, below, equal_var=False, alternative="less")
    assert (result.p_low, result.p_high) == pytest.approx((greater.pvalue, less.pvalue))
    assert result.ratio.estimate == pytest.approx(np.exp(above.mean() - below.mean()))


@settings(max_examples=60, deadline=None)
@given(pairs, st.floats(1.01, 3), st.floats(1e-3, 1e3), st.booleans())
def test_neither_unit_nor_direction_matters(values, margin, factor, paired):
    above, below = np.array(values).T
    one = equivalence(above, below, margin, paired)
    scaled = equivalence(above * factor, below * factor, margin, paired)
    swapped = equivalence(below, above, margin, paired)
    assert scaled.p == pytest.approx(one.p, rel=1e-4, abs=1e-9)
    assert swapped.p == pytest.approx(one.p, rel=1e-4, abs=1e-9)
    assert swapped.ratio.low == pytest.approx(1 / one.ratio.high, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(pairs, st.floats(1.01, 3), st.booleans())
def test_the_interval_agrees_with_the_verdict(values, margin, paired):
    above, below = np.array(values).T
    result = equivalence(above, below, margin, paired)
    inside = 1 / margin <= result.ratio.low and result.ratio.high <= margin
    # Without spread the interval is a point, and the number of runs decides.
    point = result.ratio.low == result.ratio.high
    assert result.equivalent == (inside and not point) or abs(result.p - 0.05) < 1e-9 or (point and inside)


def test_settings_on_the_margin_pass_five_times_in_a_hundred():
    rng = np.random.default_rng(4)
    ratios = np.exp(rng.normal(np.log(1.05), 0.005, (1000, 5)))
    wrong = sum(equivalence(row, np.ones(5), 1.05).equivalent for row in ratios)
    assert 30 <= wrong <= 72  # 50 expected; three standard errors are 21


def test_equal_values_are_decided_exactly_and_without_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for paired in (True, False):
            assert equivalence([2, 2, 2], [2, 2, 2], 1.05, paired).p == 0.125
            assert equivalence([3, 3, 3], [2, 2, 2], 1.05, paired).p == 0.875
        assert equivalence([110, 220], [100, 200], 1.05).p_high == 0.75  # equal ratios, but for rounding


def test_one_run_proves_nothing():
    for paired in (True, False):
        result = equivalence([1.0], [1.0], 1.05, paired)
        assert np.isnan(result.p) and result.equivalent is False


def runs(**levels) -> pd.DataFrame:
    rows = [(block, level, ms) for level, values in levels.items() for block, ms in enumerate(values)]
    return pd.DataFrame(rows, columns=["block", "log_level", "ms"]).sample(frac=1, random_state=3)


def test_all_pairs_are_matched_by_block():
    drift = np.array([100.0, 130, 160, 190, 220])
    noise = np.array([1, 1.004, 0.998, 1.002, 0.999])
    frame = runs(off=drift, info=drift * noise, warn=drift / noise)
    result = all_equivalent(frame, "ms", "log_level", ["off", "warn", "info"], 1.02, block="block")
    names = list(zip(result.pairs["first"], result.pairs["second"], strict=True))
    assert names == [("off", "warn"), ("off", "info"), ("warn", "info")]
    assert result.equivalent and result.p == result.pairs["p"].max()
    assert result.pairs["ratio"][1] == pytest.approx(np.exp(np.log(noise).mean()))
    # Without their blocks the drift drowns it.
    assert not equivalence(drift * noise, drift, 1.02, paired=False).equivalent


def test_one_pair_apart_is_enough_to_fail():
    frame = runs(off=[10, 10.1, 10], info=[10.1, 10, 10], debug=[20, 21, 22])
    result = all_equivalent(frame, "ms", "log_level", ["off", "info", "debug"], 1.1, block="block")
    assert result.pairs["equivalent"].tolist() == [True, False, False] and not result.equivalent


def test_a_block_that_lacks_a_level_is_left_out_of_its_pairs():
    frame = runs(off=[10, 10.1, 10, 99], info=[10.1, 10, 10])
    result = all_equivalent(frame, "ms", "log_level", ["off", "info"], 1.1, block="block")
    assert result.pairs["runs"].tolist() == [3] and result.equivalent


TWICE = pd.concat([runs(off=[1], info=[2])] * 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: equivalence([1, 2], [1, 2], 0.95), "above 1"),
        (lambda: equivalence([1, 2], [1, -2], 1.05), "denominator"),
        (lambda: equivalence([1, 2], [1, 2, 3], 1.05), "equal lengths"),
        (lambda: all_equivalent(runs(off=[1, 2]), "ms", "log_level", ["off"], 1.05, "block"), "two or more"),
        (lambda: all_equivalent(runs(off=[1, 2]), "ms", "log_level", ["off", "info"], 1.05, "block"), "'info'"),
        (lambda: all_equivalent(TWICE, "ms", "log_level", ["off", "info"], 1.05, "block"), "more than one"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(BadParameter, match=message):
        call()
