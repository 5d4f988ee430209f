"""The lab's own exceptions: each says what was wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path


class PerfstudiesError(Exception):
    """Base of every error that the lab raises on purpose."""


class BadParameter(PerfstudiesError, ValueError):
    """A parameter has a name or a value that is not allowed."""

    @classmethod
    def choice(cls, name: str, value: object, allowed: Iterable[object]) -> BadParameter:
        """Build the message for a value outside a closed list, naming the nearest allowed one."""
        from difflib import get_close_matches

        names = [str(one) for one in allowed]
        near = get_close_matches(str(value), names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return cls(f"{name} = {value!r} is not known; use one of: {', '.join(names)}.{hint}")


class BadLog(PerfstudiesError):
    """A raw log holds something that its format does not allow."""

    def __init__(self, path: Path | str, line: int, problem: str):
        self.path, self.line, self.problem = Path(path), line, problem
        super().__init__(f"{path}:{line}: {problem}")


class BadRecording(PerfstudiesError):
    """A recorded run is missing, incomplete, or differs from its checksums."""


class MissingTool(PerfstudiesError):
    """A program that a live run needs is not installed or not built."""


class SystemFailed(PerfstudiesError):
    """A system under test did not start, died or hung; the message ends with the end of its log."""


class BrokenLaw(PerfstudiesError):
    """A simulated run contradicts a law that every run obeys: the simulation's own code is wrong."""


def require_one_of(name: str, value: object, allowed: Collection[object]) -> None:
    """Raise `BadParameter.choice` for a value outside a closed list."""
    if value not in allowed:
        raise BadParameter.choice(name, value, allowed)
