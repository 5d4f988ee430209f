"""Intervals of effect sizes from the noncentral F distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.oneway import confint_effectsize_oneway

from perfstudies.stats.effects import LARGE, effect_interval


def noncentrality(share: float, runs: int) -> float:
    return share * runs / (1 - share)


@settings(max_examples=80, deadline=None)
@given(st.floats(0.01, 2000), st.integers(1, 8), st.integers(3, 200))
def test_each_bound_leaves_its_tail(f, df_effect, df_residual):
    runs = df_effect + df_residual + 1
    low, high = effect_interval(f, df_effect, df_residual, runs, 0.9)
    assert 0 <= low <= high < 1
    for bound, quantile in ((low, 0.95), (high, 0.05)):
        below = stats.ncf.cdf(f, df_effect, df_residual, noncentrality(bound, runs))
        assert below == pytest.approx(quantile, abs=1e-6) or (bound == 0 and below < quantile)


@settings(max_examples=80, deadline=None)
@given(st.floats(0.1, 20), st.integers(1, 8), st.integers(3, 100))
def test_zero_is_excluded_exactly_when_f_is_significant(f, df_effect, df_residual):
    low, _ = effect_interval(f, df_effect, df_residual, df_effect + df_residual + 1, 0.9)
    p = stats.f.sf(f, df_effect, df_residual)
    assert (low > 0) == (p < 0.05) or abs(p - 0.05) < 1e-9


def test_it_agrees_with_statsmodels_where_that_works():
    theirs = confint_effectsize_oneway(6.0, (2, 27), alpha=0.1, nobs=30).eta2
    assert effect_interval(6.0, 2, 27, 30, 0.9) == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("df_residual", [4, 20, 203])
def test_the_limit_for_large_effects_joins_on(df_residual):
    f = LARGE / 6
    runs = df_residual + 7
    below, above = (
        [noncentrality(bound, runs) for bound in effect_interval(f * side, 6, df_residual, runs)]
        for side in (1 - 1e-9, 1 + 1e-9)
    )
    assert above == pytest.approx(below, rel=1e-3)


def test_an_effect_without_residual_explains_all():
    assert effect_interval(np.inf, 2, 9, 12) == (1.0, 1.0)
