"""The studies: what each experiment varies, how a run of it goes, and what was claimed."""

from __future__ import annotations

from perfstudies.errors import BadParameter
from perfstudies.experiment import Experiment
from perfstudies.studies import step

EXPERIMENTS: dict[str, Experiment] = {one.key: one for one in step.EXPERIMENTS}


def experiment(key: str) -> Experiment:
    """Return an experiment by ``study/name``; an unknown one is a `BadParameter` that lists the known ones."""
    if key not in EXPERIMENTS:
        raise BadParameter.choice("experiment", key, EXPERIMENTS)
    return EXPERIMENTS[key]


def procedure_of(experiment: Experiment):
    """Return what carries out a run of an experiment, and the checksum of the system that it runs.

    Imported only here, so that recorded runs are read without anything that a live run needs.
    """
    from perfstudies.studies import step_procedure

    procedures = {"flight": step_procedure}
    module = procedures[experiment.system]
    return module.run, module.build()
