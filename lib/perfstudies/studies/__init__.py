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
    """Return what opens the bench that an experiment's runs are carried out on, and the system's checksum.

    Imported only here, so that recorded runs are read without anything that a live run needs.
    """
    from perfstudies.studies import step_procedure, step_ramp

    procedures = {("flight", "sessions"): step_procedure, ("flight", "ramp"): step_ramp}
    return procedures[experiment.system, experiment.procedure].bench, step_procedure.build()
