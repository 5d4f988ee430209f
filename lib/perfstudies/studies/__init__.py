"""The studies: what each experiment varies, how a run of it goes, and what was claimed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from perfstudies.errors import BadParameter
from perfstudies.experiment import Experiment
from perfstudies.store import Run
from perfstudies.studies import aaa, corba_base, esb, step
from perfstudies.studies.run_logs import RunLogs

EXPERIMENTS: dict[str, Experiment] = {
    one.key: one
    for one in (*step.EXPERIMENTS, *aaa.EXPERIMENTS, *esb.EXPERIMENTS, *corba_base.EXPERIMENTS)
}

ESB_PROCEDURES = {
    "rate": "esb",
    "connections": "esb_connections",
    "reliable-cost": "esb_reliable",
    "reliable-faults": "esb_reliable",
}
"""What the modules of the ESB study's procedures and readers begin with, by procedure."""


def experiment(key: str) -> Experiment:
    """Return an experiment by ``study/name``; an unknown one is a `BadParameter` that lists the known ones."""
    if key not in EXPERIMENTS:
        raise BadParameter.choice("experiment", key, EXPERIMENTS)
    return EXPERIMENTS[key]


def procedure_of(experiment: Experiment):
    """Return what opens the bench that an experiment's runs are carried out on, and the system's checksum.

    What opens it takes what is to be told of growing records (`perfstudies.report.live_chart.Progress`), or None.

    Imported only here, so that recorded runs are read without anything that a live run needs.
    """
    if experiment.system == "flight":
        from perfstudies.studies import step_procedure, step_ramp

        modules = {"sessions": step_procedure, "ramp": step_ramp}
        return modules[experiment.procedure].bench, step_procedure.build()
    if experiment.system == "esb":
        module = import_module(f"perfstudies.studies.{ESB_PROCEDURES[experiment.procedure]}_procedure")
        return module.bench, module.build()
    if experiment.system == "orb":
        from perfstudies.studies import corba_procedure

        return corba_procedure.bench, corba_procedure.build()
    from perfstudies.studies import aaa_parties, aaa_procedure

    module = aaa_parties if experiment.procedure == "sequences" else aaa_procedure
    return module.bench, aaa_procedure.build()


def reader_of(experiment: Experiment) -> Callable[[Run], RunLogs]:
    """Return what reads one run's raw logs."""
    if experiment.system == "flight":
        from perfstudies.studies import step_read

        return step_read.read
    if experiment.system == "esb":
        return import_module(f"perfstudies.studies.{ESB_PROCEDURES[experiment.procedure]}_read").read
    if experiment.system == "orb":
        from perfstudies.studies import corba_read

        return corba_read.read
    from perfstudies.studies import aaa_read

    return aaa_read.read
