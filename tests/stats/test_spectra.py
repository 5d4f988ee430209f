import numpy as np
import pytest
from scipy import signal, stats

from perfstudies.stats.spectra import autocorrelation, prepared, spectrum


def remembering(rng, weight: float, requests: int) -> np.ndarray:
    return signal.lfilter([1], [1, -weight], rng.normal(size=requests + 500))[500:]


def test_the_autocorrelation_by_its_definition():
    series = np.random.default_rng(12).normal(size=200)
    table = autocorrelation(series, 3, scale="values")
    x = prepared(series, "values")
    expected = [(x[lag:] * x[: 200 - lag]).sum() / (x * x).sum() for lag in range(4)]
    assert table["acf"].tolist() == pytest.approx(expected)


def test_the_spectrum_adds_up_to_the_variance_and_red_noise_fits_it():
    series = remembering(np.random.default_rng(13), 0.9, 2001)
    table = spectrum(series)
    assert 2 * table["power"].sum() / 2001 == pytest.approx(1)
    assert (table["power"] / table["red"]).mean() == pytest.approx(1, abs=0.1)
    assert table["red"][0] > 20 * table["red"].iloc[-1]


def test_ranks_make_any_tail_normal():
    heavy = np.random.default_rng(14).pareto(0.5, 999)
    series = prepared(heavy)
    assert np.abs(series).max() < 3.5 and series.mean() == pytest.approx(0, abs=1e-12)
    assert stats.shapiro(series).pvalue > 0.9
    np.testing.assert_allclose(series, prepared(heavy**3), atol=1e-12)
