"""Recordings of the timers that several modules look at and none changes: making one takes seconds."""

import pytest

from made.aaa_timers import made
from perfstudies.studies.aaa import declared as aaa


@pytest.fixture(scope="session")
def recorded():
    return made(aaa.TIMERS, 200)


@pytest.fixture(scope="session")
def fifty():
    return made(aaa.FIFTY, 50)
