"""Effects of libraries and database, on made runs whose effects are known."""

import numpy as np
import pandas as pd
import pytest

from perfstudies.studies.step.analysis import combinations, crossed

GENERATIONS, DATABASES = ("2009", "today"), ("mariadb", "h2")


def runs(effect, blocks=6, noise=0.01):
    """One response: a block's own level, a small alternating noise, and an effect of each combination."""
    rows = {
        (generation, database, block): 3.0 * block + effect(generation, database) + noise * (-1) ** (block + at)
        for block in range(blocks)
        for at, (generation, database) in enumerate((one, other) for one in GENERATIONS for other in DATABASES)
    }
    index = pd.MultiIndex.from_tuples(rows, names=["generation", "database", "block"])
    return pd.DataFrame({"share": list(rows.values())}, index=index)


def test_effects_are_told_apart_and_have_their_direction():
    made = runs(lambda generation, database: 4 * (generation == "today") - 2 * (database == "h2"))
    found = crossed.split(made).loc["share"]
    assert found["Today's libraries", "effect"].estimate == pytest.approx(4, abs=0.02)
    assert found["H2", "effect"].estimate == pytest.approx(-2, abs=0.02)
    assert abs(found["Both together", "effect"].estimate) < 0.02
    low, high = found["Today's libraries", "effect"].low, found["Today's libraries", "effect"].high
    assert low < 4 < high and found["Today's libraries", "effect"].n == 6
    assert found["Today's libraries", "ω²"] > 0.99


def test_an_interaction_is_what_one_does_more_with_the_other_halved():
    made = runs(lambda generation, database: 6.0 * (generation == "today") * (database == "h2"))
    found = crossed.split(made).loc["share"]
    assert [found[cause, "effect"].estimate for cause in crossed.CAUSES.values()] == pytest.approx([3, 3, 3], abs=0.02)


def test_ratios_multiply():
    made = np.exp(runs(lambda generation, database: np.log(2) * (generation == "today")))
    found = crossed.split(made, log=True).loc["share"]
    assert found["Today's libraries", "effect"].estimate == pytest.approx(2, rel=0.02)
    assert found["H2", "effect"].estimate == pytest.approx(1, rel=0.02)


def test_incomplete_blocks_are_left_out_and_too_few_give_nothing():
    made = runs(lambda generation, database: 4 * (generation == "today"))
    assert crossed.split(made.drop(("today", "h2", 0))).loc["share"]["H2", "effect"].n == 5
    assert crossed.split(made.xs(0, level="block", drop_level=False)).empty
    assert crossed.split(made.xs("mariadb", level="database", drop_level=False)).empty


@pytest.mark.parametrize(
    ("there", "study", "today", "said"),
    [
        (
            {("2009", "mariadb"), ("today", "mariadb"), ("2009", "h2"), ("today", "h2")},
            ("2009", "mariadb"), ("today", "mariadb"), "",
        ),
        ({("2009", "h2"), ("today", "h2")}, ("2009", "h2"), ("today", "h2"), "no runs on MariaDB"),
        ({("today", "mariadb"), ("today", "h2")}, ("today", "mariadb"), ("today", "mariadb"), "libraries of 2009"),
        ({("2009", "h2"), ("today", "mariadb")}, ("today", "mariadb"), ("today", "mariadb"), "libraries of 2009"),
        ({("2009", "mariadb")}, ("2009", "mariadb"), ("2009", "mariadb"), ""),
    ],
)  # fmt: skip
def test_what_is_judged_on_follows_from_what_was_measured(there, study, today, said):
    frame = pd.DataFrame(sorted(there), columns=["generation", "database"], dtype="category")
    on = combinations.judged_on(frame)
    assert (on.study, on.today) == (study, today)
    assert said in on.note and bool(on.note) == bool(said)
    assert on.has_both == (study != today) == (len(on.labels) == 2)
