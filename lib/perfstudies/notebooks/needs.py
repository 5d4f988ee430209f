"""Which experiments a notebook needs, as its own metadata say under ``perfstudies``.

``requires`` names the experiments whose runs its cells ask for, and ``reads`` further ones of which they show what is
there. Runs of a source that a cell asks for by name are no needs: ``data.recorded(EXPERIMENT, "reference", ...)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nbformat

from perfstudies.studies import experiment


@dataclass(frozen=True)
class Needs:
    """What a notebook needs to be there before it is rendered.

    Attributes
    ----------
    measured : frozenset of str
        The experiments whose runs it asks for, so that it would measure them itself if they were missing.
    read : frozenset of str
        Further experiments of which it reads what there is.
    declared : bool
        Whether it says so; who does not may measure whatever it likes.
    """

    measured: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    declared: bool = False

    @property
    def all(self) -> frozenset[str]:
        """Both."""
        return self.measured | self.read


def needs(notebook: Path) -> Needs:
    """Return what a notebook's metadata say that it needs; `BadParameter` for an experiment that there is not."""
    told = nbformat.read(notebook, as_version=4).metadata.get("perfstudies", {})
    measured, read = (frozenset(experiment(key).key for key in told.get(name, ())) for name in ("requires", "reads"))
    return Needs(measured, read, "requires" in told)
