import time

import numpy as np
import pytest
from scipy import stats

from perfstudies.errors import BadParameter
from perfstudies.stats.periods import agreement, common_period


def patterned(rng, period: float, requests: int = 2000) -> np.ndarray:
    return 200 + 60 * (np.arange(requests) % period) / period + rng.gamma(1, 40, requests)


def test_runs_with_one_period_agree():
    rng = np.random.default_rng(1)
    found = common_period({f"run {i}": patterned(rng, 150) for i in range(8)})
    assert found.runs["periodic"].all() and found.periodic.estimate == 1
    assert found.p_periodic == pytest.approx(0.05**8)
    assert found.period.low < 150 < found.period.high and found.period.high - found.period.low < 1
    assert found.spread < 1.02 and found.p_agreement < 0.001
    assert found.runs["run"].tolist() == [f"run {i}" for i in range(8)]


def test_runs_with_periods_of_their_own_are_periodic_but_do_not_agree():
    rng = np.random.default_rng(2)
    found = common_period({i: patterned(rng, period) for i, period in enumerate([40, 70, 120, 200, 330, 25])})
    assert found.periodic.estimate == 1
    assert found.p_agreement > 0.05 and found.spread > 2


def test_noise_neither_shows_a_period_nor_agrees_more_often_than_the_level_says():
    rng = np.random.default_rng(3)
    found = [common_period({i: rng.normal(size=200) for i in range(6)}, seed=k) for k in range(60)]
    assert np.mean([one.p_periodic <= 0.05 for one in found]) < 0.135  # 5 % and three standard errors
    assert np.mean([one.p_agreement <= 0.05 for one in found]) < 0.135
    assert 0.38 < np.mean([one.p_agreement for one in found]) < 0.6
    assert np.mean([one.periodic.estimate for one in found]) == pytest.approx(0.05, abs=0.03)


def test_the_share_has_wilson_s_interval_and_a_binomial_p():
    rng = np.random.default_rng(4)
    runs = {i: patterned(rng, 150) if i < 3 else rng.normal(size=2000) for i in range(8)}
    found = common_period(runs, seed=1)
    hits = int(found.runs["periodic"].sum())
    assert hits >= 3 and found.periodic.estimate == hits / 8
    expected = stats.binomtest(hits, 8).proportion_ci(method="wilson")
    assert (found.periodic.low, found.periodic.high) == pytest.approx((expected.low, expected.high))
    assert found.p_periodic == pytest.approx(stats.binomtest(hits, 8, 0.05, alternative="greater").pvalue)


def test_agreement_by_counting():
    # One of three periods each: both draw the same one with a third.
    noise = [np.array([10.0, 20, 40])] * 2
    spread, p = agreement([20, 20], noise, np.random.default_rng(0))
    assert spread == 1 and p == pytest.approx(1 / 3, abs=0.015)
    spread, p = agreement([10, 20], noise, np.random.default_rng(0))
    assert spread == pytest.approx(2) and p == pytest.approx(7 / 9, abs=0.015)


def test_one_run_has_none_to_agree_with():
    found = common_period({0: patterned(np.random.default_rng(6), 150)})
    assert np.isnan(found.p_agreement) and np.isnan(found.period.low)
    assert found.period.estimate == pytest.approx(found.runs["period"][0])


def test_forty_runs_of_2000_take_no_long_time():
    rng = np.random.default_rng(7)
    runs = {i: patterned(rng, 150) for i in range(40)}
    before = time.process_time()
    common_period(runs)
    assert time.process_time() - before < 20  # some 2 s; a busy machine takes longer


def test_without_runs_nothing_is_tested():
    with pytest.raises(BadParameter, match="no run"):
        common_period({})
