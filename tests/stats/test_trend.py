import numpy as np
import pytest
from scipy import signal

from perfstudies.errors import BadParameter
from perfstudies.stats.trend import climb

AT = np.arange(50.0)
CLIMBING = 5 * np.minimum(AT, 20)


def remembering(rng, weight: float, spread: float) -> np.ndarray:
    return spread * signal.lfilter([1], [1, -weight], rng.normal(size=250))[200:]


def test_two_exact_lines_are_found_exactly():
    found = climb(AT, 3 + 2 * np.minimum(AT, 17.3) - 0.5 * np.maximum(AT - 17.3, 0))
    assert found.breakpoint == pytest.approx(17.3, abs=1e-4)
    assert found.climbed == pytest.approx(34.6, abs=1e-3)
    assert found.drift == pytest.approx(-0.5 * 31.7 / 34.6, abs=1e-4)
    assert found.p_break == 1 / 500


def test_the_fit_is_the_best_of_all():
    y = CLIMBING + 10 * np.random.default_rng(1).normal(size=50)
    place = climb(AT, y).breakpoint

    def squares(at):
        design = np.column_stack([np.ones(50), np.minimum(AT, at), np.maximum(AT, at)])
        return np.linalg.lstsq(design, y, rcond=None)[1][0]

    assert all(squares(place) <= squares(at) + 1e-6 for at in np.linspace(3, 46, 500))


@pytest.mark.parametrize(("weight", "spread"), [(0.0, 10), (0.5, 8)])
def test_breakpoint_and_level_are_found_in_noise(weight, spread):
    rng = np.random.default_rng(2)
    found = [climb(AT, CLIMBING + remembering(rng, weight, spread), count=39) for _ in range(200)]
    assert np.median([one.breakpoint for one in found]) == pytest.approx(20, abs=1)
    assert np.mean([one.p_break <= 0.05 for one in found]) > 0.8
    assert np.median([one.drift for one in found]) == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.8])
def test_one_line_is_not_taken_for_two(weight):
    rng = np.random.default_rng(3)
    p = [climb(AT, 2 * AT + remembering(rng, weight, 10), count=99, seed=i).p_break for i in range(200)]
    assert np.mean(np.array(p) <= 0.05) < 0.097  # 5 % and three standard errors


def test_on_the_log_scale_slopes_are_shares_and_the_unit_does_not_matter():
    y = np.exp(0.1 * np.minimum(AT, 20)) * np.exp(np.random.default_rng(4).normal(0, 0.1, 50))
    in_ms, in_s = climb(AT, y, log=True), climb(AT, y / 1000, log=True)
    assert in_ms.climbed == pytest.approx(2, abs=0.2)
    assert in_ms.breakpoint == pytest.approx(in_s.breakpoint)
    assert in_ms.p_break == in_s.p_break


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (range(8), range(8), "more than 8 points"),
        (range(10), range(9), "equal lengths"),
        ([0] * 10, range(10), "ascending"),
        (range(10), range(10), "one line"),
        (range(10), [np.nan] * 10, "finite"),
    ],
)
def test_what_has_no_breakpoint_is_refused(x, y, message):
    with pytest.raises(BadParameter, match=message):
        climb(x, y)
