"""A bench that has no server of its own."""

import psutil
import pytest

from perfstudies.errors import SystemFailed
from perfstudies.runs.bench import Bench


class Failing(Bench):
    """Shares one process, and fails as it is told to."""

    def __init__(self, error):
        super().__init__()
        self.error, self.stopped = error, 0

    def carry_out(self, planned, folder):
        raise self.error

    def stop(self):
        self.stopped += 1
        super().stop()


def test_a_process_that_has_gone_costs_a_run_and_not_the_plan(tmp_path):
    bench = Failing(psutil.NoSuchProcess(4711))
    with pytest.raises(SystemFailed, match="a process has gone that was to go on: .*4711"):
        bench(None, tmp_path)
    assert bench.stopped == 1


def test_a_mistake_of_the_lab_itself_stays_what_it_is(tmp_path):
    bench = Failing(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        bench(None, tmp_path)
    assert bench.stopped == 1
