"""Regions half and twice as wide, by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfstudies.errors import BadParameter
from perfstudies.stats.sensitivity import widened

INF = math.inf


@pytest.mark.parametrize(
    ("region", "scale", "unit", "half", "twice"),
    [
        ((60, 80), "identity", "ms", (65, 75), (50, 90)),
        ((1 / 1.21, 1.21), "log", "ratio", (1 / 1.1, 1.1), (1 / 1.4641, 1.4641)),
        # An effect is claimed: what is nearer to none is easier to reach.
        ((2, INF), "identity", "ms", (4, INF), (1, INF)),
        ((4, INF), "log", "ratio", (16, INF), (2, INF)),
        ((-INF, 0.25), "log", "ratio", (-INF, 0.0625), (-INF, 0.5)),
        ((3, INF), "identity", "ratio", (5, INF), (2, INF)),
        # That there is none is claimed.
        ((-INF, 1.21), "log", "ratio", (-INF, 1.1), (-INF, 1.4641)),
        ((-2, INF), "identity", "points", (-1, INF), (-4, INF)),
        # Direction alone, and a point.
        ((1, INF), "log", "ratio", (1, INF), (1, INF)),
        ((0, INF), "identity", "", (0, INF), (0, INF)),
        ((2, 2), "identity", "calls", (2, 2), (2, 2)),
        # Shares: a border at 0 or 100 is none; the other moves by its odds.
        ((50, 100), "percent", "%", (200 / 3, 100), (100 / 3, 100)),
        ((0, 20), "runs", "%", (0, 100 / 9), (0, 100 / 3)),
        ((60, 80), "percent", "%", (65, 75), (50, 90)),
        ((0, 0), "runs", "%", (0, 0), (0, 0)),
        ((100, INF), "percent", "%", (100, INF), (100, INF)),
    ],
)
def test_half_and_twice_as_wide(region, scale, unit, half, twice):
    for factor, expected in ((0.5, half), (1, region), (2, twice)):
        found = widened(*region, factor, scale, unit)
        expected = tuple(0 if scale == "log" and end == -INF else end for end in expected)
        assert found == pytest.approx(expected), factor


@given(st.floats(0.01, 99.99), st.floats(0.1, 10), st.booleans())
def test_a_wider_region_of_shares_holds_the_narrower(share, factor, below):
    region = (-INF, share) if below else (share, INF)
    narrow, wide = (widened(*region, one, "percent") for one in sorted((factor, 1)))
    assert wide[0] <= narrow[0] + 1e-9 and narrow[1] <= wide[1] + 1e-9
    assert 0 < min(map(abs, wide)) < 100


@pytest.mark.parametrize("factor", [0, -1, math.nan])
def test_a_factor_is_above_zero(factor):
    with pytest.raises(BadParameter, match="above 0"):
        widened(0, 1, factor, "identity")
