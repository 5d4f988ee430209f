import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.power import (
    break_even_cv,
    break_even_cv_of_margin,
    detectable_ratio,
    runs_to_decide,
)
from perfstudies.stats.regions import region_test


def two_samples(cv, means=(100.0, 110.0), runs=(10, 30)):
    """Runs whose means and standard deviations are exactly as wanted."""
    for mean, count in zip(means, runs, strict=True):
        raw = np.linspace(-1, 1, count)
        yield mean + (raw - raw.mean()) / raw.std(ddof=1) * cv * mean


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_at_break_even_welch_s_p_is_the_level(confidence):
    cv = break_even_cv(100, 110, (10, 30), confidence)
    assert stats.ttest_ind(*two_samples(cv), equal_var=False).pvalue == pytest.approx(1 - confidence)


def test_normal_quantiles_allow_more_variation():
    t, normal = (break_even_cv(100, 110, (10, 10), distribution=name) for name in ("t", "normal"))
    assert normal / t == pytest.approx(stats.t.ppf(0.975, 18 * (1 + 1.1**2) ** 2 / 2 / (1 + 1.1**4)) / 1.959964)


def test_a_rule_of_one_margin_allows_most():
    assert break_even_cv_of_margin(100, 100.5, (10, 10), 1.96) == pytest.approx(0.5 / (1.96 * 100.5 / np.sqrt(10)))
    assert break_even_cv_of_margin(100, 100.5, (10, 10), 1.96) > break_even_cv(100, 100.5, (10, 10))


def test_equal_means_are_never_told_apart_and_unit_and_order_do_not_matter():
    assert break_even_cv(5, 5, (10, 10)) == 0
    assert break_even_cv(1, 2, (10, 30)) == pytest.approx(break_even_cv(2000, 1000, (30, 10)))


def test_a_detectable_ratio_is_detected_as_often_as_promised():
    rng = np.random.default_rng(1)
    for paired in (False, True):
        ratio = detectable_ratio(0.2, 12, paired, power=0.8)
        first, second = rng.normal(0, 0.2, (2, 4000, 12))
        if paired:
            p = stats.ttest_1samp(first + np.log(ratio), 0, axis=1).pvalue
        else:
            p = stats.ttest_ind(first + np.log(ratio), second, axis=1).pvalue
        assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_impossible_questions_are_refused():
    with pytest.raises(BadParameter, match="above 0"):
        break_even_cv(0, 0, (10, 10))
    with pytest.raises(BadParameter, match="one run"):
        break_even_cv(1, 2, (1, 10))
    with pytest.raises(BadParameter, match="use one of: t, normal"):
        break_even_cv(1, 2, (10, 10), distribution="cauchy")
    with pytest.raises(BadParameter, match="confidence"):
        break_even_cv(1, 2, (10, 10), 95)
    with pytest.raises(BadParameter, match="power"):
        detectable_ratio(0.1, 10, power=1.0)


@pytest.mark.parametrize(
    ("low", "high", "scale"), [(-np.inf, 1.3, "identity"), (1 / 1.4, 1.4, "log"), (1.1, 1.3, "identity")]
)
def test_the_runs_that_it_takes_decide_as_often_as_promised(low, high, scale):
    rng = np.random.default_rng(1)
    mean = 1.2 if scale == "identity" else np.log(1.2)
    needed = int(runs_to_decide(mean, 0.3 / np.sqrt(20), 20, low, high, scale, level=0.01, power=0.9))
    assert needed > 20
    values = rng.normal(mean, 0.3, (2000, needed))
    values = np.exp(values) if scale == "log" else values
    decided = [region_test(one, low, high, scale).p_inside <= 0.01 for one in values]
    assert np.mean(decided) == pytest.approx(0.9, abs=0.025)


@pytest.mark.parametrize("effect", [4.0, 12.0, 40.0])
def test_few_runs_decide_as_often_as_it_says_however_far_the_mean_lies_from_the_border(effect):
    rng = np.random.default_rng(3)
    level = 0.05 / 106
    needed = int(runs_to_decide(effect, 1 / np.sqrt(4), 4, 0, np.inf, level=level))
    assert needed > 2
    decided = []
    for count in (needed - 1, needed):
        values = rng.normal(effect, 1, (4000, count))
        decided.append(np.mean(stats.ttest_1samp(values, 0, axis=1, alternative="greater").pvalue < level))
    assert decided[0] < 0.9 < decided[1] + 0.02


def test_a_mean_beyond_all_doubt_takes_two_runs_one_on_the_border_never_ends_and_no_spread_has_no_answer():
    assert runs_to_decide(5, 0.001, 4, 0, 1) == 2
    assert runs_to_decide(1, 0.5, 4, 0, 1) == np.inf
    assert np.isnan(runs_to_decide(1, 0, 4, 0, 2))
    assert np.isnan(runs_to_decide(90, 3, 4, 80, 100, "runs"))
    assert np.isnan(runs_to_decide(1, np.nan, 1, 0, 2))
