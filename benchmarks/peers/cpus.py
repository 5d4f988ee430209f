"""Processors of one's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def on_cpus(cpus: set[int] | None) -> Iterator[None]:
    """Run a block, and what it starts, on some processors only; on all if none are named."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
