import pandas as pd
import pytest

from perfstudies.studies.step.analysis import link

MOVED_KB, DELAY_MS = 500.0, 20.0
MBIT_S = pd.DataFrame({"fast": [94.4, 94.0, 93.0], "slow": [7.3, 7.0, 7.2]})


def test_bytes_and_delay_of_two_links_are_found_again():
    added = DELAY_MS + MOVED_KB * 8 / MBIT_S
    found = link.bytes_and_delay(added, MBIT_S)
    assert found["kb"].tolist() == pytest.approx([MOVED_KB] * 3)
    assert found["delay_ms"].tolist() == pytest.approx([DELAY_MS] * 3)


def test_links_that_add_nothing_moved_nothing():
    found = link.bytes_and_delay(MBIT_S * 0, MBIT_S)
    assert (found == 0).all(axis=None)


def test_one_link_alone_cannot_be_split():
    added = (DELAY_MS + MOVED_KB * 8 / MBIT_S).assign(fast=float("nan"))
    assert link.bytes_and_delay(added, MBIT_S).isna().all(axis=None)
