import numpy as np
import pandas as pd
import pytest

from perfstudies.errors import BadParameter
from perfstudies.stats.saturation import saturation, sustained_rate


def test_the_last_step_before_the_first_that_failed_counts():
    assert sustained_rate([100, 200, 300, 400], [100, 199, 297, 310]) == (300, 400)
    assert sustained_rate([400, 100, 300, 200], [310, 100, 297, 199]) == (300, 400)
    # A later step that passes does not count.
    assert sustained_rate([100, 200, 300], [100, 150, 300]) == (100, 200)


def test_no_step_or_every_step():
    found = sustained_rate([100, 200], [50, 60])
    assert np.isnan(found[0]) and found[1] == 100
    found = sustained_rate([100, 200], [100, 200])
    assert found[0] == 200 and np.isnan(found[1])


def test_over_runs_with_starts_at_random_each_brackets_the_limit():
    # The system completes at most 500 a second; each run's steps grow by 1.2 from a random start.
    rng = np.random.default_rng(1)
    rates = 300 * 1.2 ** (rng.random((12, 1)) + np.arange(6))
    steps = pd.DataFrame({"run": np.repeat(range(12), 6), "offered": rates.ravel()})
    found = saturation(steps.assign(completed=steps["offered"].clip(upper=500)))
    assert (found.runs["sustained"] <= 500 / 0.99).all() and (found.runs["failed"] > 500 / 0.99).all()
    assert found.runs["failed"].to_numpy() == pytest.approx(1.2 * found.runs["sustained"].to_numpy())
    assert found.rate.estimate < 500 / 0.99 and found.rate.n == 12


def test_the_rate_is_a_geometric_mean_over_runs():
    steps = pd.DataFrame(
        {
            "run": ["a"] * 2 + ["b"] * 2 + ["c"] * 2,
            "offered": [100.0, 400, 200, 400, 100, 200],
            "completed": [100.0, 150, 200, 160, 10, 20],
        }
    )
    found = saturation(steps)
    assert (found.rate.estimate, found.rate.n) == (pytest.approx(np.sqrt(20_000)), 2)
    assert found.runs["sustained"].isna().tolist() == [False, False, True]
    assert found.runs["completed"].tolist() == [150, 200, 20]


@pytest.mark.parametrize(
    ("offered", "completed", "options", "message"),
    [
        ([100, 100], [1, 1], {}, "the same rate"),
        ([0, 100], [0, 1], {}, "above 0"),
        ([100], [1, 2], {}, "equal lengths"),
        ([100], [100], {"least": 99}, "share"),
    ],
)
def test_impossible_steps_are_refused(offered, completed, options, message):
    with pytest.raises(BadParameter, match=message):
        sustained_rate(offered, completed, **options)


def test_without_runs_there_is_nothing_to_find():
    with pytest.raises(BadParameter, match="no run"):
        saturation(pd.DataFrame({"run": [], "offered": [], "completed": []}))
