import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.intraclass import intraclass_correlation

# Table 2 of Shrout and Fleiss: four judges' ratings of six targets.
RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_it_is_the_papers_example():
    found = intraclass_correlation(np.ravel(RATINGS), np.repeat(range(6), 4))
    assert found.correlation == pytest.approx(0.17, abs=0.005)
    assert found.p == pytest.approx(stats.f_oneway(*RATINGS).pvalue)


def test_equal_values_in_a_group_are_wholly_alike():
    found = intraclass_correlation([1, 1, 5, 5, 5, 9], [0, 0, 1, 1, 1, 2])
    assert (found.correlation, found.p) == (1.0, 0.0)


def test_groups_of_different_sizes_give_the_share_of_variance_between_them():
    random = np.random.default_rng(2)
    sizes = random.integers(1, 4, 20000)
    groups = np.repeat(range(20000), sizes)
    values = np.repeat(random.normal(0, 1, 20000), sizes) + random.normal(0, 2, sizes.sum())
    assert intraclass_correlation(values, groups).correlation == pytest.approx(1 / (1 + 4), abs=0.03)


def test_without_repetitions_or_with_one_group_there_is_none():
    assert np.isnan(intraclass_correlation([1, 2, 3], [0, 1, 2]).correlation)
    assert np.isnan(intraclass_correlation([1, 2, 3], [0, 0, 0]).correlation)
    assert np.isnan(intraclass_correlation([1, 1], [0, 0]).p)


def test_lengths_have_to_fit():
    with pytest.raises(BadParameter, match="2 values"):
        intraclass_correlation([1, 2], [0])
