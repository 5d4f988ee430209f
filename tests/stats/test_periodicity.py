from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import signal
from statsmodels.datasets import sunspots

from perfstudies.errors import BadParameter
from perfstudies.stats.periodicity import fisher_g, fisher_p, periodicity, repeats


def sawtooth(requests: int, period: float, shift: float = 0) -> np.ndarray:
    return (np.arange(requests) + shift) % period / period


def remembering(rng, weight: float, requests: int) -> np.ndarray:
    return signal.lfilter([1], [1, -weight], rng.normal(size=requests + 500))[500:]


def share(hits) -> float:
    return float(np.mean(list(hits)))


# The 5 % points of g that Fisher printed in 1929.
@pytest.mark.parametrize(
    ("ordinates", "g"),
    [(5, 0.68377), (10, 0.44495), (15, 0.33462), (20, 0.27040), (30, 0.19784), (40, 0.15738), (50, 0.13135)],
)
def test_the_printed_points_of_g(ordinates, g):
    assert fisher_p(g, ordinates) == pytest.approx(0.05, abs=2e-5)


@pytest.mark.parametrize("ordinates", [3, 50, 197, 999])
def test_p_of_g_in_exact_fractions(ordinates):
    for part in (1, 2, 3, 5):
        g = Fraction(part, ordinates) + Fraction(1, 97 * ordinates)
        upto = range(1, int(1 / g) + 1)
        terms = [comb(ordinates, j) * (1 - j * g) ** (ordinates - 1) * (-1) ** (j - 1) for j in upto]
        assert fisher_p(float(g), ordinates) == pytest.approx(float(sum(terms)), abs=1e-5)


def test_g_of_a_pure_sine_is_1_and_of_two_equal_ones_a_half():
    at = np.arange(240)
    slow, quick = np.sin(2 * np.pi * at / 24), np.cos(2 * np.pi * at / 10)
    assert fisher_g(slow).statistic == pytest.approx(1) and fisher_g(slow).p == pytest.approx(0, abs=1e-12)
    both = fisher_g(slow + quick)
    assert both.statistic == pytest.approx(0.5)
    assert fisher_g(slow + quick, longest=12).statistic == pytest.approx(1)


def test_independent_noise_is_rejected_as_often_as_the_level_says():
    rng = np.random.default_rng(1)
    found = [periodicity(rng.normal(size=300), count=99, seed=i) for i in range(300)]
    # 5 % of 300, and three standard errors.
    assert share(one.white.p <= 0.05 for one in found) < 0.088
    assert share(one.red.p <= 0.05 for one in found) < 0.088
    assert 0.4 < np.mean([one.white.p for one in found]) < 0.6
    assert 0.4 < np.mean([one.red.p for one in found]) < 0.6


@pytest.mark.parametrize("weight", [0.5, 0.9, 0.98])
def test_noise_that_remembers_fools_fisher_but_not_the_surrogates(weight):
    rng = np.random.default_rng(2)
    found = [periodicity(remembering(rng, weight, 400), count=99, seed=i) for i in range(120)]
    assert share(one.red.p <= 0.05 for one in found) < 0.11  # 5 % and three standard errors
    if weight > 0.8:
        assert share(one.white.p <= 0.05 for one in found) > 0.5


def test_slow_memory_under_much_noise_is_no_period():
    rng = np.random.default_rng(3)
    mixed = (remembering(rng, 0.95, 600) / 3 + rng.normal(size=600) for _ in range(100))
    assert share(periodicity(x, count=99).red.p <= 0.05 for x in mixed) < 0.115


def test_no_test_is_to_be_trusted_on_a_smoothed_series():
    rng = np.random.default_rng(3)
    smooth = (np.convolve(rng.normal(size=630), np.ones(31) / 31, "valid") for _ in range(40))
    found = [periodicity(x, count=99) for x in smooth]
    assert share(one.white.p <= 0.05 for one in found) > 0.95
    assert share(one.red.p <= 0.05 for one in found) > 0.2


def test_heavy_tails_do_no_harm():
    rng = np.random.default_rng(4)
    noise = [rng.pareto(1.2, 400) for _ in range(120)]
    assert share(periodicity(x, count=99).red.p <= 0.05 for x in noise) < 0.11
    patterned = [100 * sawtooth(2000, 150) + 50 * rng.pareto(1.5, 2000) for _ in range(10)]
    assert all(periodicity(x, count=99).red.p == 0.01 for x in patterned)
    assert not all(periodicity(x, count=99, scale="values").red.p == 0.01 for x in patterned)


@pytest.mark.parametrize(("height", "power"), [(0.5, 0.5), (1.0, 1.0), (5.0, 1.0), (50.0, 1.0), (1000.0, 1.0)])
def test_a_sawtooth_of_150_in_2000_is_found(height, power):
    rng = np.random.default_rng(5)
    found = [
        periodicity(300 + height * sawtooth(2000, 150, rng.integers(150)) + rng.normal(size=2000), count=99, seed=i)
        for i in range(20)
    ]
    assert share(one.red.p <= 0.05 for one in found) >= power
    if power == 1:
        assert all(one.period.estimate == pytest.approx(150, abs=2.5) for one in found)


def test_the_interval_of_the_period_holds_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(6)
    for memory in (0.0, 0.7):
        found = [
            periodicity(3 * sawtooth(1200, 97.3, rng.integers(97)) + remembering(rng, memory, 1200), count=19).period
            for _ in range(100)
        ]
        assert 0.87 <= share(one.low <= 97.3 <= one.high for one in found) <= 1
        assert np.median([one.high - one.low for one in found]) < 3


def test_a_peak_of_30_in_every_200_is_found_with_its_length():
    noise = np.random.default_rng(7).gamma(2, 10, 2000)
    found = periodicity(noise + 40 * (np.arange(2000) % 200 < 30))
    assert found.red.p == 1 / 200 and found.harmonics > 1
    assert found.period.low < 200 < found.period.high
    assert found.acf_period == pytest.approx(200, abs=3)


def test_the_sunspots_wander_around_eleven_years_without_a_period():
    # Yule invented the autoregression for them in 1927: noise that remembers explains their cycle.
    found = periodicity(sunspots.load_pandas().data["SUNACTIVITY"], shortest=5, longest=40)
    assert found.white.p < 1e-9 and found.red.p > 0.05
    assert found.acf_period in (10, 11)


def test_a_trend_and_the_unit_and_a_monotone_change_of_scale_do_not_matter():
    series = np.random.default_rng(9).gamma(2, 10, 500) + 20 * sawtooth(500, 50)
    first, second = periodicity(series), periodicity(np.log(series / 1000))
    assert first == second
    climbing = periodicity(series + np.arange(500), scale="values")
    assert climbing.red.statistic == pytest.approx(periodicity(series, scale="values").red.statistic)


def test_requests_that_failed_keep_their_place():
    rng = np.random.default_rng(10)
    series = sawtooth(2000, 150) * 3 + rng.normal(size=2000)
    series[rng.random(2000) < 0.1] = np.nan
    found = periodicity(series)
    assert found.red.p == 1 / 200 and found.period.estimate == pytest.approx(150, abs=0.5)
    series[:500] = np.nan
    with pytest.raises(BadParameter, match="too many"):
        periodicity(series)


def test_the_same_seed_gives_the_same_result():
    series = np.random.default_rng(11).normal(size=300)
    assert periodicity(series, seed=4) == periodicity(series, seed=4)
    assert (periodicity(series, seed=4).noise_periods != periodicity(series, seed=5).noise_periods).any()


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.arange(30.0), {}, "too few"),
        (np.ones(100), {}, "never differ"),
        (np.r_[np.inf, np.arange(99.0)], {}, "not a finite number"),
        (np.arange(100.0), {"scale": "log"}, "logarithm"),
        (np.arange(100.0), {"scale": "rank"}, "Did you mean 'ranks'"),
        (np.arange(100.0), {"longest": 60}, "periods from 10"),
        (np.arange(100.0), {"shortest": 40}, "periods from 40"),
    ],
)
def test_what_cannot_be_analysed_is_named(values, options, message):
    with pytest.raises(BadParameter, match=message):
        periodicity(values, **options)


def test_whether_a_series_repeats_is_decided_as_by_its_p():
    rng = np.random.default_rng(3)
    decided = []
    for seed in range(30):
        noise = signal.lfilter([1.0], [1.0, -0.5], rng.normal(size=400))
        # From no pattern at all to one that is plain to see.
        series = noise + seed / 20 * np.sin(2 * np.pi * np.arange(400) / 40)
        decided.append(repeats(series, seed=seed))
        assert decided[-1] == (periodicity(series, seed=seed).red.p <= 0.05)
    assert True in decided and False in decided
