import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from perfstudies.errors import BadParameter
from perfstudies.stats.holm import holm, holm_ratios


def frame(values):
    rows = [(level, block, value) for level, own in values.items() for block, value in enumerate(own)]
    return pd.DataFrame(rows, columns=["level", "block", "ms"])


VALUES = {"a": [10.0, 11.0, 12.0, 10.5], "b": [11.0, 12.5, 12.8, 11.9], "c": [30.0, 31.0, 36.0, 31.0]}


def test_paired_ratios_are_student_s_on_logarithms():
    found = holm_ratios(frame(VALUES), "ms", "level", list(VALUES), "block").set_index(["first", "second"])
    test = stats.ttest_rel(np.log(VALUES["b"]), np.log(VALUES["a"]))
    row = found.loc[("a", "b")]
    assert row["p"] == pytest.approx(test.pvalue) and row["runs"] == 4
    assert row["ratio"] == pytest.approx(np.exp(np.mean(np.log(np.divide(VALUES["b"], VALUES["a"])))))
    ends = test.confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((np.exp(ends.low), np.exp(ends.high)))


def test_unpaired_ratios_are_welch_s():
    values = VALUES | {"c": VALUES["c"][:3]}
    found = holm_ratios(frame(values), "ms", "level", ["a", "c"]).iloc[0]
    test = stats.ttest_ind(np.log(values["c"]), np.log(values["a"]), equal_var=False)
    assert found["p"] == pytest.approx(test.pvalue) and found["runs"] == 3


def test_holm_multiplies_the_smallest_by_the_number_of_pairs():
    found = holm_ratios(frame(VALUES), "ms", "level", list(VALUES), "block").sort_values("p")
    assert found["p_holm"].iloc[0] == pytest.approx(3 * found["p"].iloc[0])
    assert found["p_holm"].iloc[2] == pytest.approx(max(found["p"].iloc[2], found["p_holm"].iloc[1]))


def test_families_are_corrected_at_once_as_statsmodels_corrects_each():
    families = np.random.default_rng(3).random((8, 8)) ** 4  # statsmodels collects all garbage in each call
    each = [multipletests(family, method="holm")[1] for family in families]
    assert holm(families) == pytest.approx(np.array(each), abs=0)


def test_missing_p_values_stay_missing_and_do_not_count():
    assert holm([0.03, np.nan, 0.02]).tolist() == pytest.approx([0.04, np.nan, 0.04], nan_ok=True)
    assert np.isnan(holm([np.nan])).all() and holm([]).size == 0


def test_blocks_that_lack_a_setting_are_left_out():
    found = holm_ratios(frame(VALUES | {"b": VALUES["b"][:3]}), "ms", "level", ["a", "b"], "block").iloc[0]
    assert found["runs"] == 3


@pytest.mark.parametrize("block", [None, "block"])
def test_one_run_has_a_ratio_and_no_more(block):
    found = holm_ratios(frame({"a": [10.0], "b": [20.0]}), "ms", "level", ["a", "b"], block).iloc[0]
    assert found["ratio"] == pytest.approx(2) and np.isnan([found["low"], found["p"], found["p_holm"]]).all()


@pytest.mark.parametrize("block", [None, "block"])
def test_values_without_any_spread_are_equal_or_not(block):
    same = frame({"a": [10.0] * 3, "b": [10.0] * 3, "c": [20.0] * 3})
    found = holm_ratios(same, "ms", "level", ["a", "b", "c"], block)
    assert found["p"].tolist() == [1.0, 0.25, 0.25]


def test_ratios_that_differ_by_rounding_are_equal():
    same = frame({"a": [100.0, 200.0, 300.0], "b": [110.0, 220.0, 330.0]})
    assert holm_ratios(same, "ms", "level", ["a", "b"], "block")["p"].tolist() == [0.25]


def test_times_have_to_be_above_0():
    with pytest.raises(BadParameter, match="above 0"):
        holm_ratios(frame({"a": [0.0, 1.0], "b": [1.0, 1.0]}), "ms", "level", ["a", "b"])
