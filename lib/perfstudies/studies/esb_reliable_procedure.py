"""The bench for reliable messaging: the processes that are a client or a server, kept from run to run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil

from perfstudies.errors import SystemFailed
from perfstudies.lab import PlannedRun
from perfstudies.studies.esb_reliable import FAULTY, WARM_UP_MESSAGES
from perfstudies.studies.esb_reliable_run import Exchange
from perfstudies.systems import esb_reliable as system
from perfstudies.systems.esb_reliable import Party, build

__all__ = ["bench", "build"]

HASTY = ("smoke", "quick")
"""Profiles in which all blocks share their processes where times are measured, as a start costs more than a run."""


@contextmanager
def bench(progress: object = None) -> Iterator[Callable[[PlannedRun, Path], tuple[dict, tuple[str, ...]]]]:
    """Open the place where runs are carried out; yields what carries out one, and stops all processes at the end."""
    with ExitStack() as opened:
        place = Bench()
        opened.callback(place.stop)
        yield place.run


class Bench:
    """Keeps processes from run to run: of a block where times are measured, as long as they live elsewhere."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._free: list[Party] = []
        self._started = 0
        self._block: tuple | None = None
        self._place: Path | None = None
        self._options: tuple[str, ...] = ()

    def stop(self) -> None:
        """Stop all processes."""
        self._free.clear()
        self._block = None
        self._stack.close()

    def run(self, planned: PlannedRun, folder: Path) -> tuple[dict, tuple[str, ...]]:
        """Carry out one run in its folder.

        Returns
        -------
        facts : dict
            For the manifest: workload, system, noise, and what was left unfinished.
        files : tuple of str
            The client's calls, what both databases counted, and the requests that came to the proxy.

        Raises
        ------
        SystemFailed
            If a process dies where it was not to be killed, or hangs.
        """
        faulty = planned.experiment.procedure == FAULTY.procedure
        own = not (faulty or planned.profile in HASTY)
        block = (planned.experiment.key, planned.profile, planned.seed, planned.block if own else None)
        try:
            if block != self._block:
                self.stop()
                self._prepare(folder.parent / ".process")
                self._block = block
                self._options = system.quick_start(self._place) if faulty else ()
                if not faulty:
                    self._warm_up(planned)
            return Exchange(planned, folder, self.take, self._free.append).go()
        except BaseException as error:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            if isinstance(error, psutil.NoSuchProcess):
                raise SystemFailed(f"a process has gone that was not to be killed: {error}") from error
            raise

    def _prepare(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self._stack.callback(shutil.rmtree, place, ignore_errors=True)
        self._place = place

    def _warm_up(self, planned: PlannedRun) -> None:
        """Have both processes exchange messages in every way, so that no setting of the block is the first."""
        messages = WARM_UP_MESSAGES[planned.profile]
        for setting in planned.experiment.settings(planned.profile):
            again = replace(planned, setting=setting)
            folder = self._place / f"warm-up-{'-'.join(setting.values())}"
            folder.mkdir(parents=True)
            Exchange(again, folder, self.take, self._free.append, messages).go()

    def take(self) -> Party:
        """Return a process that is nothing at the moment, a new one if there is none."""
        if self._free:
            return self._free.pop(0)
        self._started += 1
        return self._stack.enter_context(system.start(self._place / f"{self._started:03d}", self._options))
