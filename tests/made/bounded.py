"""What something hostile may cost: a generous time, and memory."""

import resource
import signal
from contextlib import contextmanager

LIMIT_S = 60
MOST_MIB = 600


@contextmanager
def bounded():
    """Raise what no test expects if the block does not end, or takes much memory."""

    def too_long(*_):
        raise AssertionError(f"it had not ended after {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, too_long)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak_kib < MOST_MIB * 1024
