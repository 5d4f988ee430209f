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

PARTS = {
    "flight": ("step_procedure", "step_read"),
    "flight/ramp": ("step_ramp", "step_read"),
    "aaa": ("aaa_procedure", "aaa_read"),
    "aaa/sequences": ("aaa_parties", "aaa_read"),
    "esb/rate": ("esb_procedure", "esb_read"),
    "esb/connections": ("esb_connections_procedure", "esb_connections_read"),
    "esb/reliable-cost": ("esb_reliable_procedure", "esb_reliable_read"),
    "esb/reliable-faults": ("esb_reliable_procedure", "esb_reliable_read"),
    "orb": ("corba_procedure", "corba_read"),
}
"""By ``system`` or ``system/procedure`` the modules that carry out a run (``bench``, ``build``) and ``read`` one.

They are imported when they are needed, so that recorded runs are read without anything that a live run needs.
"""


def experiment(key: str) -> Experiment:
    """Return an experiment by ``study/name``; an unknown one is a `BadParameter` that lists the known ones."""
    if key not in EXPERIMENTS:
        raise BadParameter.choice("experiment", key, EXPERIMENTS)
    return EXPERIMENTS[key]


def procedure_of(experiment: Experiment):
    """Return what opens the bench that an experiment's runs are carried out on, and the system's checksum.

    What opens it takes what is to be told of growing records (`perfstudies.report.live_chart.Progress`), or None.
    """
    module = import_module(_modules(experiment)[0])
    return module.bench, module.build()


def reader_of(experiment: Experiment) -> Callable[[Run], RunLogs]:
    """Return what reads one run's raw logs."""
    return import_module(_modules(experiment)[1]).read


def _modules(experiment: Experiment) -> tuple[str, ...]:
    """Return the modules that carry out a run and read one."""
    key = f"{experiment.system}/{experiment.procedure}"
    names = PARTS.get(key) or PARTS.get(experiment.system)
    if names is None:
        raise BadParameter.choice(f"system of {experiment.key}", key, PARTS)
    return tuple(f"{__name__}.{name}" for name in names)
