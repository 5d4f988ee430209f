import numpy as np
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.moving import moving_average
from perfstudies.stats.slutsky import apparent_periods, gain, wave_length


def test_the_gain_is_that_of_the_average_s_own_weights():
    weights = np.r_[np.full(7, 1 / 7), np.zeros(93)]
    expected = np.abs(np.fft.rfft(weights)) ** 2
    np.testing.assert_allclose(gain(7, np.arange(51) / 100), expected, atol=1e-15)
    assert gain(7, 0.0) == 1 and gain(7, 1 / 7) == pytest.approx(0, abs=1e-30)


def test_waves_are_as_long_as_in_simulated_noise():
    noise = np.random.default_rng(3).normal(size=(200, 4000))
    for window in (2, 10, 100):
        smooth = moving_average(noise, window)[:, window - 1 :]
        rises = ((smooth[:, :-1] < 0) & (smooth[:, 1:] >= 0)).mean()
        assert 1 / rises == pytest.approx(wave_length(window), rel=0.03)
    assert wave_length(100) == pytest.approx(4.44 * 10, rel=0.01)


def test_the_highest_ordinate_falls_where_it_is_promised():
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(20_000, 100))
    around = np.fft.irfft(np.fft.rfft(noise) * np.fft.rfft(np.r_[np.ones(10), np.zeros(90)]), 100)
    highest = (np.abs(np.fft.rfft(around)[:, 1:50]) ** 2).argmax(axis=1)
    found = np.bincount(highest, minlength=49) / 20_000
    table = apparent_periods(10, 100)
    assert table["period"][0] == 100 and table["probability"].sum() == pytest.approx(1)
    # Three and a half standard errors of a share of 20,000.
    np.testing.assert_allclose(table["probability"], found, atol=3.5 * 0.5 / np.sqrt(20_000))


def test_without_an_average_every_period_is_as_likely():
    assert apparent_periods(1, 41)["probability"].tolist() == pytest.approx([1 / 20] * 20)


def test_only_the_periods_asked_for_share_the_probability():
    table = apparent_periods(100, 2000, shortest=100, longest=500)
    assert table["period"].tolist() == pytest.approx([2000 / k for k in range(4, 21)])
    assert table["probability"].sum() == pytest.approx(1)
    with pytest.raises(BadParameter, match="no period"):
        apparent_periods(10, 100, shortest=34, longest=49)


def test_a_window_has_to_be_a_number_of_requests():
    with pytest.raises(BadParameter, match="whole number"):
        gain(0, 0.1)
