import numpy as np
import pytest
from scipy import linalg, signal

from perfstudies.stats.rednoise import apply, autoregressions, best_order, centred, surrogates, whiten


@pytest.fixture(scope="module")
def remembering() -> np.ndarray:
    """Of order 2, a row a series."""
    noise = np.random.default_rng(1).normal(size=(3, 3000))
    return centred(signal.lfilter([1], [1, -0.6, -0.3], noise, axis=1)[:, 1000:])


def test_a_straight_line_is_taken_out():
    assert centred(np.array([3 + 2.0 * np.arange(9), np.ones(9)])) == pytest.approx(0, abs=1e-12)


def test_the_fit_is_yule_s_and_walker_s(remembering):
    weights, variance = autoregressions(remembering, 5)
    for order in (1, 2, 5):
        for row, series in enumerate(remembering):
            covariance = np.correlate(series, series, "full")[series.size - 1 :][: order + 1] / series.size
            expected = linalg.solve_toeplitz(covariance[:-1], covariance[1:])
            assert weights[order][row] == pytest.approx(expected)
            assert variance[order, row] == pytest.approx(covariance[0] - expected @ covariance[1:])


def test_the_order_is_found(remembering):
    assert 2 <= best_order(remembering[0]) <= 4
    assert best_order(np.random.default_rng(2).normal(size=500)) <= 2


def test_what_is_left_is_what_is_not_predicted():
    series, weights = np.array([[1.0, 2, 4, 8, 1]]), np.array([[1.0, -0.5]])
    assert apply(series, weights).tolist() == [[4 - 2 + 0.5, 8 - 4 + 1, 1 - 8 + 2]]
    assert apply(series, np.empty((1, 0))).tolist() == series.tolist()


def test_surrogates_remember_as_the_series_does(remembering):
    made = surrogates(remembering[0], 2, 300, np.random.default_rng(3))
    assert made.shape == (300, 2000)
    weights = whiten(remembering[:1], 2)[1][0]
    assert whiten(made, 2)[1].mean(axis=0) == pytest.approx(weights, abs=0.01)
    assert made.var() == pytest.approx(remembering[0].var(), rel=0.05)


def test_surrogates_of_no_order_are_the_values_in_random_order():
    made = surrogates(np.array([-1.0, 0, 1]), 0, 50, np.random.default_rng(0))
    assert set(made.ravel()) == {-1, 0, 1}
