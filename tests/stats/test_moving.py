import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.moving import moving_average


def test_by_hand():
    found = moving_average([1, 2, 6, 3, 12], 3)
    assert np.isnan(found[:2]).all()
    assert found[2:].tolist() == [3, 11 / 3, 7]


def test_it_trails_a_step_by_half_the_window():
    found = moving_average(np.r_[np.zeros(20), np.ones(20)], 10)
    assert found[19] == 0 and found[24] == pytest.approx(0.5) and found[29] == 1


def test_as_pandas_rolls_and_along_the_last_axis():
    runs = np.random.default_rng(1).gamma(1, 100, (4, 500))
    found = moving_average(runs, 37)
    for run, smooth in zip(runs, found, strict=True):
        np.testing.assert_allclose(smooth, pd.Series(run).rolling(37).mean(), rtol=1e-12)


def test_an_enormous_value_leaves_no_rounding_behind():
    assert moving_average([1e16, 1, 1, 1], 2).tolist()[2:] == [1, 1]


def test_a_window_with_a_missing_value_has_no_mean():
    assert np.isnan(moving_average([1, np.nan, 3, 5], 2)).tolist() == [True, True, True, False]


def test_a_window_of_one_changes_nothing_and_one_too_long_leaves_nothing():
    assert moving_average([3, 4], 1).tolist() == [3, 4]
    assert np.isnan(moving_average([3, 4], 3)).all()


@pytest.mark.parametrize("window", [0, -1, 2.5])
def test_a_window_that_is_no_number_of_requests_is_refused(window):
    with pytest.raises(BadParameter, match="whole number"):
        moving_average([1, 2, 3], window)


def test_a_single_number_is_refused():
    with pytest.raises(BadParameter, match="series"):
        moving_average(3.0, 1)
