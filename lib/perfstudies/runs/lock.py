"""A machine's lock: a measurement has the machine alone, other work shares it, and neither runs beside the other.

It is a lock on a file in the machine's folder for temporary files, one for each user, so it holds between repositories
and between the workers of a cluster on one machine. The operating system gives it back when its holder ends, however
that ends.

Who runs a notebook that measures holds the lock for the whole notebook and says so to its kernel by `HELD`.
"""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perfstudies.errors import PerfstudiesError

FOLDER = "PERFSTUDIES_LOCK"
"""The environment's variable that names another folder for the lock's file."""
HELD = "PERFSTUDIES_LOCK_HELD"
"""Set in the environment of a process for which its parent holds the lock to measure."""


def place() -> Path:
    """Return the lock's file."""
    return Path(os.environ.get(FOLDER) or tempfile.gettempdir()) / f"perfstudies-{os.getuid()}.lock"


@contextmanager
def measuring(wait: bool = False) -> Iterator[None]:
    """Have the machine for a measurement, alone.

    Parameters
    ----------
    wait : bool
        Whether to wait until others have ended.

    Raises
    ------
    PerfstudiesError
        Without waiting, if another measurement or a batch is under way.
    """
    if os.environ.get(HELD):
        yield
    else:
        with _locked(fcntl.LOCK_EX, wait):
            yield


@contextmanager
def sharing() -> Iterator[None]:
    """Do work that measures nothing, beside other such work; waits until no measurement is under way."""
    with _locked(fcntl.LOCK_SH, wait=True):
        yield


@contextmanager
def _locked(kind: int, wait: bool) -> Iterator[None]:
    # A name that others can foresee: a link in its place is not followed.
    descriptor = os.open(place(), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait:
                raise PerfstudiesError(
                    "another measurement or a batch is under way on this machine; wait for its end, or stop it with "
                    "Ctrl-C"
                ) from None
            print("Waiting for the end of what is under way on this machine.", file=sys.stderr, flush=True)
            fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
