"""Where an experiment's runs are carried out: processes that are up, warm and configured, and kept for other runs.

A study's bench says how a run goes; that its processes are stopped, whatever happens, and which runs may share them, is
the same for all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import psutil

from perfstudies.errors import MissingTool, SystemFailed
from perfstudies.runs.plan import PlannedRun

HASTY = ("smoke", "quick")
"""Profiles whose blocks and experiments share processes: a start takes longer than their runs."""

Facts = tuple[Mapping[str, object], tuple[str, ...]]
"""What a manifest says of a run, and the names of the raw logs that the run left."""
Progress = Callable[[Sequence[Path]], None]
"""Is told of growing records now and then."""


class Bench:
    """Carries out runs and keeps processes for those that share them.

    Parameters
    ----------
    progress : callable, optional
        Given the growing records of a run's clients, now and then.

    Attributes
    ----------
    processes : ExitStack
        What runs share: closed by `stop`.
    home : Path
        The folder of the block's shared processes.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self.processes = ExitStack()
        self.home = Path()
        self._block: tuple[object, ...] | None = None

    @classmethod
    @contextmanager
    def opened(cls, progress: Progress | None = None) -> Iterator[Self]:
        """Open a bench; its processes are stopped at the end."""
        bench = cls(progress)
        try:
            yield bench
        finally:
            bench.close()

    def __call__(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run in its folder.

        Returns
        -------
        facts : mapping
            For the manifest: workload, system, noise, what each party counted.
        files : tuple of str
            The raw logs to be listed.

        Raises
        ------
        SystemFailed
            If a process did not start, died or hung. What was recorded until then is kept.
        MissingTool
            If this machine cannot do what the setting asks for.
        """
        try:
            return self.carry_out(planned, folder)
        except MissingTool:
            raise  # what is there can go on with other runs
        except BaseException as error:
            with ExitStack() as broken:
                broken.push(lambda *_: True)  # the first error is the one to tell
                broken.callback(self.stop)
            if isinstance(error, psutil.NoSuchProcess):
                raise SystemFailed(f"a process has gone that was to go on: {error}") from error
            raise

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run in its folder; as a call."""
        raise NotImplementedError

    def block_of(self, planned: PlannedRun) -> tuple[object, ...]:
        """Return what a run has in common with those that it shares processes with."""
        shared = (planned.profile, planned.seed)
        return shared if planned.profile in HASTY else (*shared, planned.experiment.key, planned.block)

    def begin_block(self, planned: PlannedRun, folder: Path) -> bool:
        """Return whether a run is the first of its block; processes of an earlier one are stopped then."""
        block = self.block_of(planned)
        if self._block == block:
            return False
        self.stop()
        self.home = folder.parent / ".process"
        shutil.rmtree(self.home, ignore_errors=True)  # a lab that was killed left it
        self.home.mkdir(parents=True)
        self.processes.callback(shutil.rmtree, self.home, ignore_errors=True)
        self._block = block
        return True

    def stop(self) -> None:
        """Stop the processes that runs share."""
        self._block = None
        self.processes.close()

    def close(self) -> None:
        """Stop everything."""
        self.stop()
