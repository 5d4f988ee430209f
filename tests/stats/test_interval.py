"""An interval as a number and as text; its ends."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.stats.interval import Interval, ends

KNOWN = Interval(4431.414, 4400.0, 4462.828, 0.95, 7)
ALONE = Interval(4431.414, np.nan, np.nan, 0.95, 1)
NOTHING = Interval(np.nan, np.nan, np.nan, 0.95, 0)


@pytest.mark.parametrize(
    ("interval", "spec", "text"),
    [
        (KNOWN, "", "4,431.41 [4,400.00, 4,462.83]"),
        (KNOWN, ".0f", "4431 [4400, 4463]"),
        (KNOWN, "±,.1f", "4,431.4 ± 31.4"),
        (KNOWN, "±", "4,431.41 ± 31.41"),
        (ALONE, ".1f", "4431.4 [no interval]"),
        (ALONE, "±.1f", "4431.4 [no margin]"),
        (Interval(1.0, -np.inf, 2.0, 0.95, 7), ".1f", "1.0 [no interval]"),
        (Interval(97.3, 60.0, 100.0, 0.95, 2), "±.1f", "97.3 [60.0, 100.0]"),  # cut at what is possible
        (Interval(2.0, 0.5, 8.0, 0.95, 2), "±.1f", "2.0 [0.5, 8.0]"),  # of a ratio
        (Interval(2.0, 1e-5, 2001.0, 0.95, 2), ".2f", "2.00 [no useful interval]"),
        (Interval(2.0, -2001.0, 2005.0, 0.95, 2), ".0f", "2 [-2001, 2005]"),
        (Interval(100.0, 100.0, 100.0, 0.95, 12), ".0f", "100 [no spread]"),
        (Interval(0.0, 0.0, 0.0, 0.95, 12), "±.1f", "0.0 [no spread]"),
        (Interval(1.0, 0.99999, 1.00001, 0.95, 12), ".2f", "1.00 [1.00, 1.00]"),  # not all, by however little
        (NOTHING, ".1f", "–"),
        (NOTHING, "±.1f", "–"),
    ],
)
def test_an_interval_is_written_with_its_ends_or_its_margin(interval, spec, text):
    assert format(interval, spec) == text


def test_as_text_an_interval_has_two_decimals():
    assert str(KNOWN) == "4,431.41 [4,400.00, 4,462.83]"


def test_an_interval_in_another_unit_keeps_its_ends_in_order():
    share = Interval(0.25, 0.2, 0.5, 0.95, 7)
    assert 100 * share == Interval(25, 20, 50, 0.95, 7)
    assert -1 * share == Interval(-0.25, -0.5, -0.2, 0.95, 7)
    assert (100 * pd.Series([share], dtype=object)).iloc[0] == Interval(25, 20, 50, 0.95, 7)


def test_unknown_ends_stay_unknown_in_another_unit():
    share = 100 * Interval(0.25, np.nan, np.nan, 0.95, 1)
    assert (share.estimate, share.n) == (25, 1)
    assert np.isnan([share.low, share.high, share.margin]).all()


def test_of_logarithms_an_interval_is_one_of_factors():
    found = Interval(np.log(2), 0.0, np.log(8), 0.9, 5).exp()
    assert (found.estimate, found.low, found.high) == pytest.approx((2, 1, 8))
    assert (found.confidence, found.n) == (0.9, 5)


def test_the_ends_of_an_interval_stay_where_the_quantity_can_be():
    error = Interval(0.2, -0.1, 0.5, 0.95, 3)
    assert error.clipped(lowest=0) == Interval(0.2, 0.0, 0.5, 0.95, 3)
    assert error.clipped(0, 0.4) == Interval(0.2, 0.0, 0.4, 0.95, 3)
    assert error.clipped() == error and np.isnan(ALONE.clipped(0).low)


def test_the_ends_of_a_column_of_intervals_and_numbers():
    cells = pd.Series([KNOWN, ALONE, 3], index=["a", "b", "c"], dtype=object)
    columns = {
        "estimate": [4431.414, 4431.414, 3.0],
        "low": [4400.0, np.nan, np.nan],
        "high": [4462.828, np.nan, np.nan],
    }
    pd.testing.assert_frame_equal(ends(cells), pd.DataFrame(columns, index=["a", "b", "c"]))


def test_of_no_cells_there_are_no_ends():
    found = ends(pd.Series([], dtype=object))
    assert list(found) == ["estimate", "low", "high"] and found.empty
