"""The bench for reliable messaging: the processes that are a client or a server, kept from run to run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perfstudies.runs.bench import HASTY, Bench, Facts, Progress
from perfstudies.runs.plan import PlannedRun
from perfstudies.studies.esb.reliable import FAULTY, WARM_UP_MESSAGES
from perfstudies.studies.esb.reliable_run import Exchange
from perfstudies.studies.esb.server import reliable as system
from perfstudies.studies.esb.server.reliable import Party, build

__all__ = ["bench", "build"]


class PartiesBench(Bench):
    """Keeps processes from run to run: of a block where times are measured, as long as they live elsewhere."""

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self._free: list[Party] = []
        self._started = 0
        self._options: tuple[str, ...] = ()

    def stop(self) -> None:
        """Stop all processes."""
        self._free.clear()
        super().stop()

    def block_of(self, planned: PlannedRun) -> tuple[object, ...]:
        """Return the block: all of an experiment's runs where processes are killed, or where a start takes longer."""
        own = not (_faulty(planned) or planned.profile in HASTY)
        return (planned.experiment.key, planned.profile, planned.seed, planned.block if own else None)

    def carry_out(self, planned: PlannedRun, folder: Path) -> Facts:
        """Carry out one run; its logs are the client's calls, what both databases counted, what came to the proxy."""
        if self.begin_block(planned, folder):
            self._options = system.quick_start(self.home) if _faulty(planned) else ()
            if not _faulty(planned):
                self._warm_up(planned)
        return Exchange(planned, folder, self.take, self._free.append).go()

    def _warm_up(self, planned: PlannedRun) -> None:
        """Have both processes exchange messages in every way, so that no setting of the block is the first."""
        messages = WARM_UP_MESSAGES[planned.profile]
        for setting in planned.experiment.settings(planned.profile):
            again = replace(planned, setting=setting)
            folder = self.home / f"warm-up-{'-'.join(setting.values())}"
            folder.mkdir(parents=True)
            Exchange(again, folder, self.take, self._free.append, messages).go()

    def take(self) -> Party:
        """Return a process that is nothing at the moment, a new one if there is none."""
        if self._free:
            return self._free.pop(0)
        self._started += 1
        return self.processes.enter_context(system.start(self.home / f"{self._started:03d}", self._options))


bench = PartiesBench.opened


def _faulty(planned: PlannedRun) -> bool:
    return planned.experiment.procedure == FAULTY.procedure
