"""On which libraries and database findings are judged, by what was measured."""

import pandas as pd

from perfstudies.studies.step.analysis import combinations


def on(*measured):
    return combinations.judged_on(pd.DataFrame(measured, columns=["generation", "database"], dtype="category"))


def test_the_studys_libraries_and_mariadb_come_first():
    all_four = on(("today", "h2"), ("2009", "h2"), ("today", "mariadb"), ("2009", "mariadb"), ("2009", "mariadb"))
    assert (all_four.study, all_four.today) == (("2009", "mariadb"), ("today", "mariadb"))
    assert all_four.measured == (("2009", "mariadb"), ("2009", "h2"), ("today", "mariadb"), ("today", "h2"))
    assert not all_four.note


def test_what_stands_in_for_them_is_said():
    h2 = on(("today", "h2"))
    assert h2.study == h2.today == ("today", "h2") and not h2.has_both and h2.measured == (("today", "h2"),)
    assert "no runs on MariaDB" in h2.note and "no runs on the libraries of 2009" in h2.note
