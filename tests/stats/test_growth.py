import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.growth import exponent, exponents, local_exponents
from perfstudies.stats.intervals import estimates

# NIST's Statistical Reference Dataset Norris (linear regression): x, y; the slope is certified.
NORRIS = np.array(
    [
        (0.2, 0.1), (337.4, 338.8), (118.2, 118.1), (884.6, 888.0), (10.1, 9.2), (226.5, 228.1), (666.3, 668.5),
        (996.3, 998.5), (448.6, 449.1), (777.0, 778.9), (558.2, 559.2), (0.4, 0.3), (0.6, 0.1), (775.5, 778.1),
        (666.9, 668.8), (338.0, 339.3), (447.5, 448.9), (11.6, 10.8), (556.0, 557.7), (228.1, 228.3), (995.8, 998.0),
        (887.6, 888.8), (120.2, 119.6), (0.3, 0.3), (0.3, 0.6), (556.8, 557.6), (339.1, 339.3), (887.2, 888.0),
        (999.0, 998.5), (779.0, 778.9), (11.1, 10.2), (118.3, 117.6), (229.2, 228.9), (669.1, 668.4), (448.9, 449.2),
        (0.5, 0.2),
    ]
)  # fmt: skip


def test_the_slope_of_logarithms_is_the_certified_one():
    size, cost = np.exp(NORRIS.T / 1000)
    assert exponent(size, cost) == pytest.approx(1.00211681802045, rel=1e-12)


def test_a_power_law_gives_its_exponent_whatever_the_units():
    size = np.array([1.0, 3.0, 10.0, 500.0])
    assert exponent(size, 7 * size**1.3) == pytest.approx(1.3)
    assert exponent(size / 1024, 7e-3 * size**1.3) == pytest.approx(1.3)


def test_points_without_a_logarithm_are_left_out():
    assert exponent([0, 1, 10, 100], [5, 1, 100, 10_000]) == pytest.approx(2)
    assert np.isnan(exponent([1, 10, 0], [0, 5, 5]))
    assert np.isnan(exponent([3, 3], [1, 2]))


def test_each_block_has_its_exponent():
    points = pd.DataFrame({"block": [0, 0, 1, 1, 2], "size": [1, 2, 1, 2, 1], "ms": [1, 2, 1, 4, 9.0]})
    found = exponents(points, "size", "ms")
    assert found.to_dict() == pytest.approx({0: 1.0, 1: 2.0})  # one point has no slope
    whole = estimates(found)
    assert (whole.estimate, whole.n) == (pytest.approx(1.5), 2)
    # t with one degree of freedom, 12.706, times s / sqrt 2 = 0.5
    assert whole.high == pytest.approx(1.5 + 12.706 * 0.5, abs=1e-3)


def test_local_exponents_follow_the_order_of_the_steps():
    steps = pd.Categorical(["b", "a", "c"], ["b", "a", "c"])
    points = pd.DataFrame({"block": 0, "load": steps, "size": [1, 10, 100.0], "ms": [1, 10, 1000.0]})
    found = local_exponents(points, "size", "ms", "load")
    assert found.columns.tolist() == [("b", "a"), ("a", "c")]
    assert found.loc[0].tolist() == pytest.approx([1, 2])


def test_nothing_known_is_no_estimate():
    assert np.isnan(estimates(pd.Series([np.nan])).estimate)


def test_wrong_points_are_refused():
    with pytest.raises(BadParameter, match="equal lengths"):
        exponent([1, 2], [1])
    with pytest.raises(BadParameter, match="finite"):
        exponent([1, 2], [1, np.inf])
