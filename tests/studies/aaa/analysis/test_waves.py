import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from perfstudies.studies.aaa.analysis.waves import wave_length


def test_waves_are_as_long_as_in_simulated_noise():
    noise = np.random.default_rng(3).normal(size=(200, 4000))
    for window in (2, 10, 100):
        smooth = sliding_window_view(noise, window, axis=-1).mean(axis=-1)
        rises = ((smooth[:, :-1] < 0) & (smooth[:, 1:] >= 0)).mean()
        assert 1 / rises == pytest.approx(wave_length(window), rel=0.03)
    assert wave_length(100) == pytest.approx(4.44 * 10, rel=0.01)
