import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.mixture import weights

KINDS = pd.DataFrame({"a": [10.0, 60.0, 20.0], "b": [70.0, 30.0, 20.0], "c": [20.0, 10.0, 60.0]}, ["x", "y", "z"])


def test_weights_of_a_made_mixture_are_found_again():
    whole = (KINDS.T * [0.5, 0.3, 0.2]).sum(axis=1)
    found = weights(whole, KINDS, 1e-9)
    assert found["low"].tolist() == pytest.approx([0.5, 0.3, 0.2], abs=1e-6)
    assert found["high"].tolist() == pytest.approx([0.5, 0.3, 0.2], abs=1e-6)


def test_rounding_leaves_bounds_that_hold_the_truth():
    thirds = KINDS / 3 + 33.3333333 / 9
    whole = (thirds.T * [0.5, 0.3, 0.2]).sum(axis=1)
    found = weights(whole.round(1), thirds.round(1), 0.05)
    assert (found["low"] < [0.5, 0.3, 0.2]).all() and (found["high"] > [0.5, 0.3, 0.2]).all()
    assert (found["high"] - found["low"] < 0.05).all()


def test_a_whole_that_is_no_mixture_is_refused():
    with pytest.raises(BadParameter, match="no weights of x, y, z"):
        weights(pd.Series({"a": 80.0, "b": 10.0, "c": 10.0}), KINDS, 0.005)
