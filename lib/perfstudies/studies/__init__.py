"""The studies: what each experiment varies, how a run of it goes, and what was claimed.

A study is a folder here. Its `declared` has its ``PUBLICATION`` and its ``EXPERIMENTS``; a study that also simulates
has ``SIMULATIONS`` in `simulations`. `STUDIES` is all that is known of a study outside its folder.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from perfstudies.errors import require_one_of
from perfstudies.experiment import Experiment
from perfstudies.publication import Publication
from perfstudies.runs.simulated import Simulation

STUDIES = ("step", "aaa", "esb", "corba")
"""In the order of the pages."""

_DECLARED = [import_module(f"{__name__}.{study}.declared") for study in STUDIES]
PUBLICATIONS: dict[str, Publication] = {one.PUBLICATION.study: one.PUBLICATION for one in _DECLARED}
EXPERIMENTS: dict[str, Experiment] = {one.key: one for declared in _DECLARED for one in declared.EXPERIMENTS}


def experiment(key: str) -> Experiment:
    """Return an experiment by ``study/name``; an unknown one is a `BadParameter` that lists the known ones."""
    require_one_of("experiment", key, EXPERIMENTS)
    return EXPERIMENTS[key]


def simulations() -> dict[str, Simulation]:
    """Return what the studies simulate, by ``study/name``."""
    names = [f"{__name__}.{study}.simulations" for study in STUDIES]
    return {key: one for name in names if find_spec(name) for key, one in import_module(name).SIMULATIONS.items()}
