"""What was declared when a run was measured: its experiment, and the findings of its study with their rules.

A run's manifest keeps a checksum of each, so that a report can say whether the rules that judge a run are those that
stood when it was measured, and which are not. What is declared is put into words by its fields; one that has its
default is left out, so that a new field alone changes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perfstudies.experiment import Experiment, Finding
from perfstudies.runs.checksums import digest
from perfstudies.runs.store import Run

KEY = "declarations"
"""In a manifest; runs that were recorded before it was kept have none."""

EXPERIMENT = "experiment"
"""What the experiment's own checksum is called among those of findings."""

_DECLARES = re.compile(r"\b(claim|Finding)\(")


@dataclass(frozen=True)
class Rules:
    """What of that which is declared now was not when runs were measured.

    Attributes
    ----------
    later : tuple of tuple of str
        For each run that tells, what is new or changed since: findings by their ids, and `EXPERIMENT`.
    """

    later: tuple[tuple[str, ...], ...]

    def said(self, of: Container[str]) -> str:
        """Say it of the experiment and of some findings by their ids."""
        later = [[one for one in run if one == EXPERIMENT or one in of] for run in self.later]
        changed = sorted(set().union(*later), key=lambda name: (name != EXPERIMENT, name))
        if not changed:
            return "declared before the runs, and the same since"
        older = sum(map(bool, later))
        named = ", ".join("what is measured" if name == EXPERIMENT else name for name in changed)
        return (
            f"declared before the runs, but for what is new or changed after {older} of {len(later)} of them: {named}"
        )


def checksums(experiment: Experiment, profile: str) -> dict[str, str]:
    """Return a checksum of an experiment, and of each finding of its study by its id, of 16 digits each.

    The experiment is that of a profile: how much others measure says nothing of its runs.
    """
    found = sorted(findings(experiment.study), key=lambda one: one.id)
    declared = {EXPERIMENT: _declared(experiment, profile), **{one.id: one for one in found}}
    return {name: digest(text(one).encode())[:16] for name, one in declared.items()}


def rules(experiment: Experiment, runs: Sequence[Run]) -> Rules | None:
    """Return what of that which is declared now was not when runs were measured; nothing if no run tells."""
    kept = [(run.manifest[KEY], run.manifest["profile"]) for run in runs if KEY in run.manifest]
    if not kept:
        return None
    now = {profile: checksums(experiment, profile) for profile in {profile for _, profile in kept}}
    return Rules(
        tuple(tuple(name for name, one in now[profile].items() if then.get(name) != one) for then, profile in kept)
    )


def text(declared: Any) -> str:
    """Return what is declared as text: equal declarations give equal texts."""
    return json.dumps(_plain(declared), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        told = {one.name: getattr(value, one.name) for one in fields(value)}
        return {one.name: _plain(told[one.name]) for one in fields(value) if told[one.name] != _default(one)}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def _default(one: Field) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def _declared(experiment: Experiment, profile: str) -> Experiment:
    """Return an experiment as its study declares it for a profile: who measures may have chosen fewer levels."""
    declared = import_module("perfstudies.studies").EXPERIMENTS.get(experiment.key, experiment)
    return replace(declared, sizes={name: size for name, size in declared.sizes.items() if name == profile})


@cache
def findings(study: str) -> tuple[Finding, ...]:
    """Return the findings that the modules of a study's folder declare; of services without a study there are none."""
    name = f"perfstudies.studies.{study}"
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return ()
    paths = sorted(Path(spec.origin).parent.glob("*.py"))
    names = [f"{name}.{path.stem}" for path in paths if _DECLARES.search(path.read_text(encoding="utf-8"))]
    tuples = [value for one in names for value in vars(import_module(one)).values() if isinstance(value, tuple)]
    return tuple(one for value in tuples for one in value if isinstance(one, Finding) and one.study == study)
