"""On which libraries and database findings are judged: the study's own, with today's libraries beside them.

The study's service ran on libraries of 2009 and on MySQL, for which MariaDB stands. Where a machine has no MariaDB, or
somebody chose other levels, what is there takes their place, and the report says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pandas as pd

from perfstudies.studies.step.factors import GENERATIONS, STORES

STUDY, TODAY = GENERATIONS.levels
MARIADB, H2 = STORES.levels
LIBRARIES = {STUDY: "the libraries of 2009", TODAY: "today's libraries"}
SHORT = {STUDY: "2009", TODAY: "today"}


@dataclass(frozen=True)
class JudgedOn:
    """Two combinations of a generation and a database, as levels of these factors.

    Attributes
    ----------
    study : (str, str)
        What stands for the study's: its findings are judged on this.
    today : (str, str)
        Today's libraries on the same database, which say whether a finding still holds; the same as `study` if only one
        generation was measured.
    measured : tuple of (str, str)
        All combinations that were measured, in the order of their levels.
    """

    study: tuple[str, str]
    today: tuple[str, str]
    measured: tuple[tuple[str, str], ...]

    @property
    def has_both(self) -> bool:
        """Whether two generations were measured."""
        return self.study != self.today

    @property
    def labels(self) -> dict[tuple[str, str], str]:
        """How the combinations are called in tables; one if there is but one."""
        return {one: label(one) for one in (self.study, self.today)}

    @property
    def note(self) -> str:
        """What takes the place of the study's combination, as sentences; empty if nothing does."""
        generation, database = self.study
        told = [
            "There are no runs on MariaDB: all is judged on H2, which runs within the service's process."
            if database == H2
            else "",
            "There are no runs on the libraries of 2009: all is judged on today's." if generation == TODAY else "",
        ]
        return " ".join(filter(None, told))


def judged_on(runs: pd.DataFrame) -> JudgedOn:
    """Return what findings are judged on, given what was measured.

    Parameters
    ----------
    runs : DataFrame
        Of a recording, with the columns ``generation`` and ``database``.
    """
    there = set(runs[["generation", "database"]].astype(str).itertuples(index=False, name=None))
    database = MARIADB if any(one == MARIADB for _, one in there) else H2
    of = [generation for generation in GENERATIONS.levels if (generation, database) in there]
    measured = tuple(one for one in product(GENERATIONS.levels, STORES.levels) if one in there)
    return JudgedOn((of[0], database), (of[-1], database), measured)


def label(combination: tuple[str, str]) -> str:
    """Return how a combination of generation and database is called in tables."""
    generation, database = combination
    return f"{SHORT[generation]}, {STORES.label(database)}"


def words(combination: tuple[str, str]) -> str:
    """Return how a combination is called in a sentence."""
    generation, database = combination
    return f"{LIBRARIES[generation]} and {STORES.label(database)}"
